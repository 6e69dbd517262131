/** A completion script for bash 3.2 and newer; it needs no bash-completion. */
import { commandPattern, optionArms, quoted } from "./arms.ts";
import type { CommandSpec, Values } from "./spec.ts";

/** `program`: the command's name. */
export function bashScript(program: string, specs: readonly CommandSpec[]): string {
  return `# bash completion for ${program}: save it as ~/.local/share/bash-completion/completions/${program},
# or source it.
_${program}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at=${program} word options= words= i
  # bash splits --option=value into three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$at $word" in
    ${commandPattern(program, specs)}) at="$at $word" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${optionArms(specs, (values) => actionOf(program, values))}
  esac
  case "$at" in
${specs.map(commandArm).join("\n")}
  esac
  if [[ $cur == -* ]]; then
    words=$options
  elif [[ $words == files ]]; then
    return
  fi
  _${program}_words "$words"
}

# Offers only the given words.
_${program}_words() {
  compopt +o default +o bashdefault 2>/dev/null
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# Anything without an offer is completed as a file name.
complete -o bashdefault -o default -F _${program} ${program}
`;
}

function actionOf(program: string, values: Values): string {
  if (values.kind === "files") return ":";
  if (values.kind === "folders") return "compopt +o default +o bashdefault -o dirnames 2>/dev/null";
  return `_${program}_words ${quoted(wordsOf(values))}`;
}

function commandArm({ path, options, commands, argument }: CommandSpec): string {
  const flags = options.flatMap((option) => option.flags).join(" ");
  const words = commands.length > 0 ? commands.map(({ name }) => name).join(" ") : wordsOf(argument);
  return `  ${quoted(path)}) options=${quoted(flags)} words=${quoted(argument.kind === "files" ? "files" : words)} ;;`;
}

function wordsOf(values: Values): string {
  return values.kind === "words" ? values.words.join(" ") : "";
}
