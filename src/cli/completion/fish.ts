/** A completion script for fish 3 and newer, with descriptions. */
import type { CommandSpec, OptionSpec, Values } from "./spec.ts";

/** `program`: the command's name. */
export function fishScript(program: string, specs: readonly CommandSpec[]): string {
  const nested = specs.filter(({ path }) => path !== program).map(({ path }) => quoted(path));
  return `# fish completion for ${program}: save it as ~/.config/fish/completions/${program}.fish, or source it.
# Whether the command line so far names this command.
function __${program}_at
    set -l at ${program}
    for word in (commandline -opc)[2..]
        if contains -- "$at $word" ${nested.join(" ")}
            set at "$at $word"
        end
    end
    test "$at" = "$argv"
end

complete -c ${program} -e
complete -c ${program} -f
${specs.flatMap((spec) => linesOf(program, spec)).join("\n")}
`;
}

function linesOf(program: string, { path, options, commands, argument }: CommandSpec): string[] {
  const start = `complete -c ${program} -n ${quoted(`__${program}_at ${path}`)}`;
  return [
    ...commands.map(({ name, summary }) => `${start} -a ${quoted(name)} -d ${quoted(summary)}`),
    ...(commands.length > 0 || argument.kind === "any" ? [] : [`${start} ${actionOf(argument)}`]),
    ...options.map((option) => `${start} ${optionText(option)}`),
  ];
}

function optionText({ flags, summary, values }: OptionSpec): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${quoted(flag.slice(2))}` : `-s ${quoted(flag.slice(1))}`,
  );
  const taken = values === undefined ? [] : ["-r", actionOf(values)];
  return [...names, ...taken, "-d", quoted(summary)].filter((part) => part !== "").join(" ");
}

const OTHERS = { any: "-f", files: "-F", folders: "-f -a '(__fish_complete_directories)'" } as const;

function actionOf(values: Values): string {
  if (values.kind === "words") return `-f -a ${quoted(values.words.join(" "))}`;
  return OTHERS[values.kind];
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
