/** Commands whose help ends in a guide, and what is said of a command line that is wrong. */
import { Command, type CommandOptions, type ErrorOptions, type Help, type HelpContext } from "commander";
import { HelpPage } from "./help-page.ts";

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

  override addCommand(command: Command, options?: CommandOptions): this {
    this.helpCommand("help [command]", "show the help of a command");
    return super.addCommand(command, options);
  }

  /** Lines after the options: prose, which is wrapped to the terminal, and commands after "$ ", which are not. */
  withGuide(guide: string): this {
    this.guide = guide;
    return this;
  }

  override createHelp(): Help {
    return new HelpPage(this.guide);
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
