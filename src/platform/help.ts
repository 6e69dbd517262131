/** What --help of every command looks like, and what is said of a command line that is wrong. */
import { Command, type ErrorOptions, Help, type HelpContext, type Option } from "commander";

/** Exit code of a command line that cannot be used. */
export const EXIT_USAGE = 2;

/** A command whose help ends in a guide: examples, exit codes, and what else there is to know. */
export class GuidedCommand extends Command {
  guide = "";
  readonly #path: string;

  /** `path` is what a person types, such as "svc jobs list". */
  constructor(path: string) {
    super(path.slice(path.lastIndexOf(" ") + 1));
    this.#path = path;
    this.helpOption("-h, --help", "show this help").exitOverride();
  }

  /** Lines after the options: prose, which is wrapped to the terminal, and commands after "$ ", which are not. */
  withGuide(guide: string): this {
    this.guide = guide;
    return this;
  }

  override createHelp(): Help {
    return new Page();
  }

  /** A name that there is not is told to be wrong also where its help is asked for. */
  override helpInformation(context?: HelpContext): string {
    const [name] = this.args.filter((given) => !given.startsWith("-") && given !== "help");
    const isUnknown = name !== undefined && !this.commands.some((known) => known.name() === name);
    // By itself it is an error to commander, which also says what may have been meant.
    if (isUnknown && this.commands.length > 0) this.parse([name], { from: "user" });
    return super.helpInformation(context);
  }

  override error(message: string, options?: ErrorOptions): never {
    super.error(`${message}\nSee ${this.#path} --help.`, { ...options, exitCode: EXIT_USAGE });
  }
}

export type ExitCodes = Readonly<Record<number, string>>;

/** A guide's section on exit codes. */
export function exitCodes(meanings: ExitCodes): string {
  const lines = Object.entries(meanings).map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`);
  return ["Exit codes:", ...lines].join("\n");
}

/** What an option does, with its default and its variable in the one notation. */
export function withFacts(help: string, fallback: string | undefined, variable: string | undefined): string {
  const facts = [
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(variable === undefined ? [] : [`env: ${variable}`]),
  ];
  return facts.length === 0 ? help : `${help} (${facts.join("; ")})`;
}

/** Columns that a description has at least beside its term; where there are fewer it stands below. */
const MIN_BESIDE = 40;
const BELOW = " ".repeat(6);

class Page extends Help {
  override minWidthToWrap = 1;

  override optionDescription(option: Option): string {
    const { defaultValue, defaultValueDescription: words } = option;
    const fallback = words ?? (defaultValue === undefined ? undefined : String(defaultValue));
    return withFacts(option.description, fallback, option.envVar);
  }

  /** That there are options goes without saying. */
  override subcommandTerm(command: Command): string {
    return super.subcommandTerm(command).replace(" [options]", "");
  }

  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = this.helpWidth ?? 80;
    if (width - termWidth - 4 >= MIN_BESIDE) return super.formatItem(term, termWidth, description, helper);
    const lines = this.boxWrap(description, width - BELOW.length).replaceAll("\n", `\n${BELOW}`);
    return `  ${term}\n${BELOW}${lines}`;
  }

  override formatHelp(command: Command, helper: Help): string {
    const page = super.formatHelp(command, helper);
    if (!(command instanceof GuidedCommand) || command.guide === "") return page;
    return `${page}\n${this.#fitted(command.guide.trim())}\n`;
  }

  #fitted(guide: string): string {
    return paragraphsOf(guide)
      .map(({ start, text }) => {
        const wrapped = this.boxWrap(text, (this.helpWidth ?? 80) - start.length);
        return start + wrapped.replaceAll("\n", `\n${" ".repeat(start.length)}`);
      })
      .join("\n");
  }
}

interface Paragraph {
  /** What stands before the first line; the others are indented as much. */
  readonly start: string;
  text: string;
}

/** Prose of one indentation is one paragraph; blank lines and commands are left as they are. */
function paragraphsOf(guide: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let open: Paragraph | undefined;
  for (const line of guide.split("\n")) {
    const [, start = "", text = ""] = /^(\s*(?:\d+ {2,})?)(.*)$/.exec(line) ?? [];
    const fixed = text === "" || text.startsWith("$ ") || paragraphs.at(-1)?.start.endsWith("\\");
    if (!fixed && open?.start.length === start.length && start.trim() === "") {
      open.text += ` ${text}`;
      continue;
    }
    open = fixed ? undefined : { start, text };
    paragraphs.push(open ?? { start: line, text: "" });
  }
  return paragraphs;
}
