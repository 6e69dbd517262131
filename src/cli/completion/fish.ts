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

# Whether files are offered, too: fish completes what follows a colon as a file.
function __${program}_files
    not string match -qr '^(s3|https):' -- (commandline -ct)
end

# Prints what the controller lists: videos, below s3://, https:// and media roots that are not on this machine; or
# folders. fish quotes them.
function __${program}_ask
    set -l name (commandline -ct | string unescape)
    if test $argv[1] = videos
        string match -qr '^(s3:|https:|/)' -- "$name"; or return
        set -l here $name*
        test (count $here) -gt 0; and return
    end
    command ${program} media complete -- $argv[1] "$name" (commandline -cp | string collect) 2>/dev/null </dev/null
end

complete -c ${program} -e
complete -c ${program} -f
${specs.flatMap((spec) => linesOf(program, spec)).join("\n")}
`;
}

function linesOf(program: string, { path, options, commands, argument }: CommandSpec): string[] {
  const at = `__${program}_at ${path}`;
  const start = `complete -c ${program} -n ${quoted(at)}`;
  return [
    ...commands.map(({ name, summary }) => `${start} -a ${quoted(name)} -d ${quoted(summary)}`),
    ...(commands.length > 0 || argument.kind === "any" ? [] : [`${start} ${actionOf(program, argument)}`]),
    ...(argument.kind === "videos"
      ? [`complete -c ${program} -n ${quoted(`${at}; and __${program}_files`)} -F`]
      : []),
    ...options.map((option) => `${start} ${optionText(program, option)}`),
  ];
}

function optionText(program: string, { flags, summary, values }: OptionSpec): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${quoted(flag.slice(2))}` : `-s ${quoted(flag.slice(1))}`,
  );
  const valueFlags = values === undefined ? [] : ["-r", actionOf(program, values)];
  return [...names, ...valueFlags, "-d", quoted(summary)].filter((part) => part !== "").join(" ");
}

function actionOf(program: string, values: Values): string {
  if (values.kind === "words") return `-f -a ${quoted(values.words.join(" "))}`;
  const others = {
    ...{ any: "-f", files: "-F", folders: "-f -a '(__fish_complete_directories)'" },
    ...{ videos: `-a '(__${program}_ask videos)'`, listed: `-f -a '(__${program}_ask folders)'` },
  };
  return others[values.kind];
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
