/** Commands whose help ends with a guide, and the message for an invalid command line. */
import { Command, type CommandOptions, type ErrorOptions, type Help, type HelpContext } from "commander";
import { HelpPage } from "./help-page.ts";

/** Exit code for an invalid command line. */
export const EXIT_USAGE = 2;

/** A command whose help ends with a guide: examples, exit codes and further information. */
export class GuidedCommand extends Command {
  guide = "";
  readonly #path: string;

  /** `path` is what the user types, such as "svc jobs list". */
  constructor(path: string) {
    super(path.slice(path.lastIndexOf(" ") + 1));
    this.#path = path;
    this.helpOption("-h, --help", "show this help").exitOverride();
  }

  override addCommand(command: Command, options?: CommandOptions): this {
    this.helpCommand("help [command]", "show the help of a command");
    return super.addCommand(command, options);
  }

  /**
   * Sets the text after the options: prose, which is wrapped to the terminal, and commands after "$ ", which are not.
   */
  withGuide(guide: string): this {
    this.guide = guide;
    return this;
  }

  override createHelp(): Help {
    return new HelpPage(this.guide);
  }

  /** Reports an unknown subcommand also when its help is requested. */
  override helpInformation(context?: HelpContext): string {
    const [name] = this.args.filter((given) => !given.startsWith("-") && given !== "help");
    const isUnknown = name !== undefined && !this.commands.some((known) => known.name() === name);
    // On a command line without --help this is an error to commander, which also suggests similar names.
    if (isUnknown && this.commands.length > 0) this.parse([name], { from: "user" });
    return super.helpInformation(context);
  }

  override error(message: string, options?: ErrorOptions): never {
    super.error(`${message}\nSee ${this.#path} --help.`, { ...options, exitCode: EXIT_USAGE });
  }
}

export type ExitCodes = Readonly<Record<number, string>>;

/** The "Exit codes" section of a guide. */
export function exitCodes(meanings: ExitCodes): string {
  const lines = Object.entries(meanings).map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`);
  return ["Exit codes:", ...lines].join("\n");
}
