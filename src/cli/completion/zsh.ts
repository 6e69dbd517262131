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
${optionArms(specs, (values) => actionOf(program, values))}
  esac
  case "$at" in
${specs.map((spec) => commandArm(program, spec)).join("\n")}
  esac
}

# Offers files, and what the controller lists below s3://, https:// and media roots that are not on this machine.
_${program}_videos() {
  case $PREFIX in
  s3:* | https:*) _${program}_ask videos ;;
  /*) _files || _${program}_ask videos ;;
  *) _files ;;
  esac
}

# Offers names of the controller; compadd quotes them.
_${program}_ask() {
  local -a listed
  listed=(\${(f)"$(command ${program} media complete -- $1 "\${(Q)PREFIX}" "\${(j: :)words[1,CURRENT]}" 2>/dev/null </dev/null)"})
  compadd -S '' -- \${(M)listed:#*/}
  compadd -- \${listed:#*/}
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

function commandArm(program: string, { path, options, commands, argument }: CommandSpec): string {
  const below = commands.map(({ name, summary }) => quoted(described(name, summary)));
  const offered =
    commands.length > 0
      ? `commands=(${below.join(" ")})\n      _describe command commands`
      : actionOf(program, argument);
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

function actionOf(program: string, values: Values): string {
  if (values.kind === "words") return `compadd -- ${values.words.map(quoted).join(" ")}`;
  const others = {
    ...{ any: "_message value", files: "_files", folders: "_files -/" },
    ...{ videos: `_${program}_videos`, listed: `_${program}_ask folders` },
  };
  return others[values.kind];
}

/** Returns "word:description" with the colons inside both escaped. */
function described(word: string, summary: string): string {
  return `${word.replaceAll(":", "\\:")}:${summary.replaceAll(":", "\\:")}`;
}
