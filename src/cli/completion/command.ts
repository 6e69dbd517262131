/**
 * The command `svc completion SHELL`: prints a completion script. The script is generated from the commands, and starts
 * the program only for names that the controller lists. Completion libraries for commander (@bomb.sh/tab, omelette,
 * tabtab) start it on every Tab, which takes Node.js a third of a second.
 */
import { Argument, type Command } from "commander";
import { exitCodes } from "../../platform/config/help.ts";
import { PeopleCommand } from "../command.ts";
import { writeAll } from "../exit.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { type CommandSpec, specsOf } from "./spec.ts";
import { zshScript } from "./zsh.ts";

type Script = (program: string, specs: readonly CommandSpec[]) => string;

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<
  string,
  Script
>;

const GUIDE = `
Examples:
  For bash, in every new shell, with the bash-completion package:
    $ mkdir -p ~/.local/share/bash-completion/completions
    $ svc completion bash > ~/.local/share/bash-completion/completions/svc

  For zsh, in a folder of $fpath that compinit searches:
    $ svc completion zsh > ~/.zsh/completions/_svc

  For fish:
    $ svc completion fish > ~/.config/fish/completions/svc.fish

  For bash or zsh, in this shell only, or in ~/.bashrc or ~/.zshrc:
    $ source <(svc completion bash)

The script completes commands, options, option values that are known in advance, and files. Videos of jobs are
also completed by what svc media ls lists, which asks the controller for up to two seconds. It contains the commands of
this version: print it again after an update.

${exitCodes({ 0: "printed", 2: "the shell is not supported" })}`;

/** `wholeProgram` returns the program with all commands loaded. */
export function completionCommand(wholeProgram: () => Promise<Command>): Command {
  return new PeopleCommand("svc completion")
    .summary("print a completion script for a shell")
    .description(
      "Prints a script that completes svc in a shell: commands, options, option values, and files.",
    )
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(Object.keys(SCRIPTS)))
    .withGuide(GUIDE)
    .action(async (shell: keyof typeof SCRIPTS) => {
      const program = await wholeProgram();
      await writeAll(process.stdout, [SCRIPTS[shell](program.name(), specsOf(program))]);
    });
}
