/** The command `svc comparisons add ID REFERENCE ENCODE…`. */
import type { Command } from "commander";
import { addedText } from "../../jobs/text/added-text.ts";
import { PeopleCommand } from "../command.ts";
import { type LadderFiles, pairOptions, sendingOptions } from "../compare/options.ts";
import { checkOutput, type OutputFlags, printComparison } from "../compare/output.ts";
import { pairsOf } from "../compare/pairs.ts";
import { addPairs, awaitCells } from "../compare/submitted.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";

interface AddFlags extends ServerFlags, OutputFlags {
  readonly ladder: readonly LadderFiles[];
  readonly from?: string;
  readonly upload?: boolean;
  readonly remoteFiles?: boolean;
  /** False with --no-wait. */
  readonly wait: boolean;
  readonly quiet?: boolean;
}

const GUIDE = `
Examples:
  More encodes of a source:
    $ svc comparisons add 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 \\
        source.mov av1-*.mp4

  A ladder with a name, and encodes that only this machine has:
    $ svc comparisons add 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 \\
        source.mov --ladder 'slow=slow-*.mp4'
    $ svc comparisons add 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 \\
        source.mov encodes/ --upload

  Many clips, from a CSV file with the columns reference, distorted, ladder and clip:
    $ svc comparisons add 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 \\
        --from encodes.csv --no-wait

Cells:
  - The encodes are scored with the settings of the comparison.
  - Pairs that it has already stay as they are, so the command can be repeated.

${serverGuide({
  0: "every encode of the comparison was scored; with --no-wait: added",
  1: "an encode is below a gate of the comparison",
  2: "there is no such comparison, an encode cannot be scored, or the command line is wrong",
  3: "the server cannot be reached or failed; a job failed otherwise, or was cancelled",
  130: "stopped with Ctrl-C; added jobs continue",
})}`;

export function addCommand(): Command {
  const command = new PeopleCommand("svc comparisons add")
    .summary("add encodes to a comparison")
    .description(
      "Adds encodes, which are scored with the settings of the comparison, and shows the comparison. Prints how many " +
        "were added, and how many it had already.",
    )
    .argument("<id>", "full id of the comparison")
    .argument("[reference]", "the source video: any container, .y4m or raw .yuv")
    .argument("[distorted...]", "its encodes, folders of them, or HLS or DASH manifests")
    .withGuide(GUIDE);
  const options = [
    ...pairOptions("what the comparison groups by is the ladder of each encode"),
    ...sendingOptions(),
    optional("--no-wait", "print only how many were added", "wait for the scores"),
    jsonOption("the comparison", "tables"),
    optional("--csv", "print the encodes as CSV, which svc bd reads", "tables"),
    optional("-q, --quiet", "show no progress", "off"),
  ];
  for (const option of options) command.addOption(option);
  return addServerOptions(command).action(add);
}

async function add(
  id: string,
  reference: string | undefined,
  encodes: readonly string[],
  flags: AddFlags,
): Promise<void> {
  const { ladder: ladders, from, upload, wait, quiet } = flags;
  let isAdded = false;
  const stopped = () =>
    isAdded ? `Stopped. The jobs continue: svc comparisons show ${id} shows them.` : "Stopped.";
  await withServer(
    flags,
    async (connection, signal) => {
      checkOutput(flags);
      const titles = upload ? "uploaded" : "nodes";
      const source = { reference, encodes, ladders, from, anchor: undefined, titles } as const;
      const pairs = await pairsOf({ ...source, undone: "Nothing was added." }, signal);
      const { comparison, added } = await addPairs(connection, id, pairs, flags, signal);
      isAdded = true;
      const isPrinted = flags.json || flags.csv;
      const said = `${addedText(added, pairs.length - added)}\n`;
      if (wait || isPrinted) process.stderr.write(quiet ? "" : said);
      else await writeAll(process.stdout, [said]);
      if (wait) return printComparison(await awaitCells(connection, comparison, flags, signal), flags);
      if (isPrinted) await printComparison(comparison, flags);
      return EXIT.scored;
    },
    stopped,
  );
}
