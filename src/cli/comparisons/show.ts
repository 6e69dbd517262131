/** The command `svc comparisons show ID`. */
import type { Command } from "commander";
import { proposalOptions } from "../bd/proposal-options.ts";
import { PeopleCommand } from "../command.ts";
import { checkOutput, csvOptions, type OutputFlags, printComparison } from "../compare/output.ts";
import { awaitCells, fetchComparison } from "../compare/submitted.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT } from "../exit.ts";
import { optional } from "../flags/optional.ts";

interface ShowFlags extends ServerFlags, OutputFlags {
  readonly wait?: boolean;
  readonly quiet?: boolean;
}

const GUIDE = `
Examples:
  $ svc comparisons show 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10
  $ svc comparisons show 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --csv | svc bd - --anchor hevc
  $ svc comparisons show 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --csv --table averages > bd-rates.csv
  $ svc comparisons show 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --propose 6 --max-rate 6000000

${serverGuide({
  0: "shown; with --wait: every encode was scored",
  1: "with --wait: an encode is below a gate of the comparison",
  2: "there is no such comparison; with --wait: an encode cannot be scored",
  3: "the server cannot be reached or failed; with --wait: a job failed otherwise, or was cancelled",
})}`;

export function showCommand(): Command {
  const command = new PeopleCommand("svc comparisons show")
    .summary("show a comparison: its encodes, and how its ladders compare")
    .description(
      "Shows rate and scores of each encode, and how many more or fewer bits each ladder needs than the anchor for the " +
        "same quality, as far as the encodes are scored.",
    )
    .argument("<id>", "full id of the comparison")
    .addOption(optional("--wait", "wait for the scores first", "off"))
    .addOption(jsonOption("the comparison", "tables"))
    .addOption(optional("-q, --quiet", "with --wait: show no progress", "off"))
    .withGuide(GUIDE);
  for (const option of [...csvOptions(), ...proposalOptions("bit/s")]) command.addOption(option);
  return addServerOptions(command).action((id: string, flags: ShowFlags) =>
    withServer(flags, async (connection, signal) => {
      checkOutput(flags);
      const found = await fetchComparison(connection, id, signal);
      if (flags.wait) return printComparison(await awaitCells(connection, found, flags, signal), flags);
      await printComparison(found, flags);
      return EXIT.scored;
    }),
  );
}
