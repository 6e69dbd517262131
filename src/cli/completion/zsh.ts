/** A completion script for zsh, with descriptions. */
import { commandPattern, optionArms, quoted } from "./arms.ts";
import type { CommandSpec, OptionSpec, Values } from "./spec.ts";

/** `program`: the command's name. */
export function zshScript(program: string, specs: readonly CommandSpec[]): string {
  return `#compdef ${program}
# zsh completion for ${program}: save it as _${program} in a folder of $fpath, or source it.
_${program}() {
  local cur=$words[CURRENT] prev=$words[CURRENT-1] at=${program} word
  local -a options commands
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    compset -P '*='
  fi
  for word in $words[2,CURRENT-1]; do
    case "$at $word" in
    ${commandPattern(program, specs)}) at="$at $word" ;;
    esac
  done
  case "$at $prev" in
${optionArms(specs, actionOf)}
  esac
  case "$at" in
${specs.map(commandArm).join("\n")}
  esac
}

if [[ $funcstack[1] == _${program} ]]; then
  _${program} "$@"
else
  if (( ! $+functions[compdef] )); then
    autoload -Uz compinit
    compinit
  fi
  compdef _${program} ${program}
fi
`;
}

function commandArm({ path, options, commands, argument }: CommandSpec): string {
  const below = commands.map(({ name, summary }) => quoted(described(name, summary)));
  const offered =
    commands.length > 0
      ? `commands=(${below.join(" ")})\n      _describe command commands`
      : actionOf(argument);
  return `  ${quoted(path)})
    if [[ $cur == -* ]]; then
      options=(${options.flatMap(optionTexts).join(" ")})
      _describe -o option options
    else
      ${offered}
    fi
    ;;`;
}

function optionTexts({ flags, summary }: OptionSpec): string[] {
  return flags.map((flag) => quoted(described(flag, summary)));
}

const OTHERS = { any: "_message value", files: "_files", folders: "_files -/" } as const;

function actionOf(values: Values): string {
  if (values.kind === "words") return `compadd -- ${values.words.map(quoted).join(" ")}`;
  return OTHERS[values.kind];
}

/** Returns "word:description" with the colons inside both escaped. */
function described(word: string, summary: string): string {
  return `${word.replaceAll(":", "\\:")}:${summary.replaceAll(":", "\\:")}`;
}
