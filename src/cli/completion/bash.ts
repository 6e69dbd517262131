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
  else
    case $words in
    files) return 0 ;;
    videos | listed) _${program}_$words; return 0 ;;
    esac
  fi
  _${program}_words "$words"
}

# Offers only the given words.
_${program}_words() {
  compopt +o default +o bashdefault 2>/dev/null
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# Offers files, and what the controller lists below s3://, https:// and media roots that are not on this machine.
_${program}_videos() {
  local name=$(_${program}_name)
  case $name in
  s3:* | https:*) _${program}_ask videos "$name" ;;
  /*) [[ -n $(compgen -f -- "$name") ]] || _${program}_ask videos "$name" ;;
  esac
}

# Offers folders that the controller lists.
_${program}_listed() {
  compopt +o default +o bashdefault 2>/dev/null
  _${program}_ask folders "$(_${program}_name)"
}

# Prints the whole word before the cursor: bash splits s3://bucket at the colon. Nothing in it is expanded.
_${program}_name() {
  local name=\${COMP_WORDS[COMP_CWORD]} i=$COMP_CWORD
  while ((i > 1)) && [[ \${COMP_LINE:0:COMP_POINT} == *"\${COMP_WORDS[i-1]}$name" ]]; do
    i=$((i - 1)) name=\${COMP_WORDS[i]}$name
  done
  printf %s "\${name//\\\\/}"
}

# Offers names of the controller. bash replaces only what follows the last colon or equals sign, and expands what is
# not quoted when the line is run.
_${program}_ask() {
  local name before=\${2%"\${2##*[:=]}"}
  while IFS= read -r name; do
    printf -v name %q "\${name#"$before"}"
    COMPREPLY+=("$name")
  done < <(command ${program} media complete -- "$1" "$2" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
  [[ \${#COMPREPLY[@]} -ne 1 || $COMPREPLY != */ ]] || compopt -o nospace 2>/dev/null
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
  const words = commands.length > 0 ? commands.map(({ name }) => name).join(" ") : argumentWords(argument);
  return `  ${quoted(path)}) options=${quoted(flags)} words=${quoted(words)} ;;`;
}

function wordsOf(values: Values): string {
  return values.kind === "words" ? values.words.join(" ") : "";
}

/** Returns the words, or else the kind of the argument. No word equals a kind. */
function argumentWords(argument: Values): string {
  return argument.kind === "any" || argument.kind === "words" ? wordsOf(argument) : argument.kind;
}
