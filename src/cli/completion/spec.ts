/** Collects what shells can complete: the commands of a program, their options, and option values. */
import type { Command, Help, Option } from "commander";

export type Values =
  /** Any value; the shell offers nothing. */
  | { readonly kind: "any" }
  | { readonly kind: "files" }
  | { readonly kind: "folders" }
  /** Files, and videos that the controller lists. */
  | { readonly kind: "videos" }
  /** Folders that the controller lists. */
  | { readonly kind: "listed" }
  | { readonly kind: "words"; readonly words: readonly string[] };

export interface OptionSpec {
  /** "--model", and "-m" where there is one. */
  readonly flags: readonly string[];
  readonly summary: string;
  /** undefined: the option takes no value. */
  readonly values: Values | undefined;
}

export interface CommandSpec {
  /** As typed: "svc jobs submit". */
  readonly path: string;
  readonly options: readonly OptionSpec[];
  /** Its subcommands. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** Values of its arguments. */
  readonly argument: Values;
}

const FILE_ARGUMENTS = new Set(["files", "points"]);
/** Limit of the description's characters that a shell shows beside a word. */
const MAX_SUMMARY = 80;

/** Returns a command and all commands below it, outer ones first. */
export function specsOf(command: Command, path = command.name()): CommandSpec[] {
  const help = command.createHelp();
  const visible = help.visibleCommands(command);
  const commands = visible.map((below) => ({ name: below.name(), summary: summaryOf(below, help) }));
  const own = { path, options: optionsOf(command, help), commands, argument: argumentOf(command) };
  const below = visible.flatMap((one) =>
    one.name() === "help"
      ? [
          helpSpec(
            `${path} help`,
            commands.map(({ name }) => name),
          ),
        ]
      : specsOf(one, `${path} ${one.name()}`),
  );
  return [own, ...below];
}

function helpSpec(path: string, commands: readonly string[]): CommandSpec {
  const words = commands.filter((name) => name !== "help");
  return { path, options: [], commands: [], argument: { kind: "words", words } };
}

function optionsOf(command: Command, help: Help): OptionSpec[] {
  return help.visibleOptions(command).map((option) => ({
    flags: [option.long, option.short].filter((flag) => flag !== undefined && flag !== null),
    summary: shortened(option.description),
    values: option.required || option.optional ? valuesOf(option) : undefined,
  }));
}

function valuesOf({ flags, argChoices }: Option): Values {
  if (argChoices !== undefined) return { kind: "words", words: argChoices };
  const placeholder = /<([^>]+)>/.exec(flags)?.[1];
  if (placeholder === "file" || placeholder === "path") return { kind: "files" };
  return { kind: placeholder === "dir" ? "folders" : "any" };
}

function argumentOf({ registeredArguments, options }: Command): Values {
  const [first] = registeredArguments;
  if (first?.argChoices !== undefined) return { kind: "words", words: first.argChoices };
  const name = first?.name() ?? "";
  // Commands that work without a controller read local files only.
  if (name === "reference")
    return { kind: options.some(({ long }) => long === "--server") ? "videos" : "files" };
  if (name === "under") return { kind: "listed" };
  return { kind: FILE_ARGUMENTS.has(name) ? "files" : "any" };
}

function summaryOf(command: Command, help: Help): string {
  return shortened(help.subcommandDescription(command));
}

/** Returns the description's first clause, without the facts that the help adds. */
function shortened(description: string): string {
  const [text = ""] = description.split(/ \((?:default|env): |; /);
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1).trimEnd()}…` : text;
}
