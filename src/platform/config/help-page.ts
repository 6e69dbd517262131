/** The page printed by --help: terms next to their descriptions, options in groups, and a guide. */
import { type Command, Help, type Option } from "commander";
import { fittedGuide } from "./help-guide.ts";

/** Headings of option groups in page order; the command's own options come first. */
export const HELP_GROUPS = {
  own: "Options:",
  limits: "Tenant limits:",
  console: "Console options:",
  logs: "Logging and tracing options:",
  tls: "TLS options:",
  auth: "Authentication options:",
} as const;

export type HelpGroup = (typeof HELP_GROUPS)[keyof typeof HELP_GROUPS];

/** Appends the default and the variable of an option to its description. */
export function withFacts(help: string, fallback: string | undefined, variable: string | undefined): string {
  const facts = [
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(variable === undefined ? [] : [`env: ${variable}`]),
  ];
  return facts.length === 0 ? help : `${help} (${facts.join("; ")})`;
}

/** Longer lines are hard to read. */
const MAX_COLUMNS = 120;
/** Widest term that has its description next to it; the description of a longer one starts on the next line. */
const MAX_TERM = 25;
/** Minimum width of a description next to its term; with less room it goes below. */
const MIN_BESIDE = 40;
const BELOW = " ".repeat(6);

export class HelpPage extends Help {
  override minWidthToWrap = 1;
  readonly #guide: string;

  constructor(guide: string) {
    super();
    this.#guide = guide.trim();
  }

  override prepareContext(context: Parameters<Help["prepareContext"]>[0]): void {
    super.prepareContext(context);
    this.helpWidth = Math.min(this.helpWidth ?? MAX_COLUMNS, MAX_COLUMNS);
  }

  override optionDescription(option: Option): string {
    const { defaultValue, defaultValueDescription: words } = option;
    const fallback = words ?? (defaultValue === undefined ? undefined : String(defaultValue));
    return withFacts(option.description, fallback, option.envVar);
  }

  /** Only the name: the arguments of a command are in its own help. */
  override subcommandTerm(command: Command): string {
    return command.name() === "help" ? super.subcommandTerm(command) : command.name();
  }

  override groupItems<T extends Command | Option>(
    unsorted: T[],
    visible: T[],
    groupOf: (item: T) => string,
  ): Map<string, T[]> {
    const order: readonly string[] = Object.values(HELP_GROUPS);
    const groups = super.groupItems(unsorted, visible, groupOf);
    return new Map([...groups].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
  }

  override padWidth(command: Command, helper: Help): number {
    return Math.min(super.padWidth(command, helper), MAX_TERM);
  }

  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = this.helpWidth ?? MAX_COLUMNS;
    const beside = " ".repeat(termWidth + 4);
    const isRoomy = width - beside.length >= MIN_BESIDE;
    if (isRoomy && this.displayWidth(term) <= termWidth)
      return super.formatItem(term, termWidth, description, helper);
    const indent = isRoomy ? beside : BELOW;
    const lines = this.boxWrap(description, width - indent.length).replaceAll("\n", `\n${indent}`);
    return `  ${term}\n${indent}${lines}`;
  }

  override formatHelp(command: Command, helper: Help): string {
    const page = super.formatHelp(command, helper);
    if (this.#guide === "") return page;
    const wrap = (text: string, columns: number) => this.boxWrap(text, columns);
    return `${page}\n${fittedGuide(this.#guide, this.helpWidth ?? MAX_COLUMNS, wrap)}\n`;
  }
}
