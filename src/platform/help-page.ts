/** The page that --help prints: terms beside their descriptions, options by their groups, and a guide. */
import { type Command, Help, type Option } from "commander";
import { fittedGuide } from "./help-guide.ts";

/** Headings of options, in the order of the page; those of a command itself are first. */
export const HELP_GROUPS = {
  own: "Options:",
  limits: "Tenant limits:",
  console: "Console options:",
  logs: "Logging and tracing options:",
  tls: "TLS options:",
  auth: "Authentication options:",
} as const;

export type HelpGroup = (typeof HELP_GROUPS)[keyof typeof HELP_GROUPS];

/** What an option does, with its default and its variable in the one notation. */
export function withFacts(help: string, fallback: string | undefined, variable: string | undefined): string {
  const facts = [
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(variable === undefined ? [] : [`env: ${variable}`]),
  ];
  return facts.length === 0 ? help : `${help} (${facts.join("; ")})`;
}

/** Wider lines are hard to follow with the eye. */
const MAX_COLUMNS = 120;
/** Columns of a term that its description stands beside; that of a longer one begins on the next line. */
const MAX_TERM = 25;
/** Columns that a description has at least beside its term; where there are fewer it stands below. */
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

  /** Its own help says what a command takes. */
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
