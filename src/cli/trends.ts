/** The command `svc trends LABEL`. */
import { type Command, InvalidArgumentError } from "commander";
import type { Connection } from "../client/connection/connection.ts";
import { type Trend, TrendSchema } from "../gen/proto/svc/v1/comparison_pb.ts";
import { LABEL_KEY } from "../jobs/request-limits.ts";
import { trendJson } from "../messages/json.ts";
import { TREND_TABLES, type TrendTable, trendCsv } from "../report/csv/trends.ts";
import { PeopleCommand } from "./command.ts";
import { messageJson } from "./connection/message-json.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "./connection/server.ts";
import { writeAll } from "./exit.ts";
import { optional } from "./flags/optional.ts";
import { checkTable, tableOption } from "./flags/table.ts";
import { type Labels, labelOption } from "./jobs/labels.ts";
import { detectTerminal } from "./terminal/terminal.ts";
import { fetchTrend, type TrendFlags, trendOptions } from "./trends/options.ts";
import { exitOf, trendLines } from "./trends/view.ts";

interface Flags extends ServerFlags, TrendFlags {
  readonly label?: Labels;
  readonly metric?: string;
  readonly baseline?: string;
  readonly candidate?: string;
  readonly csv?: boolean;
  /** Undefined: the first one. */
  readonly table?: TrendTable;
}

const GUIDE = `
Examples:
  Jobs with the label release, the last release against the one before it:
    $ svc trends release

  Two releases, of one codec only:
    $ svc trends release --baseline 6 --candidate 8 --label codec=av1

  In CI: exit with code 1 if the mean over clips fell by 0.5 points or more, and not by chance:
    $ svc trends release --candidate "$VERSION" --fail-if-worse 0.5

  The clips of two releases as CSV, the worst difference first:
    $ svc trends release --csv --table clips > clips.csv

Releases:
  - Their order is that of the numbers in them: 6, 7, 10; 1.9, 1.10; dates.
  - The same clips are compared: jobs over the same reference, distinguished by the file names or the labels of
    their encodes. Of several jobs over a pair the latest counts.
  - "Worse" and "better" mean: by a paired t test over clips, chance alone would show such a difference in
    fewer than 1 of 1,000 comparisons. Intervals have a confidence of 95 %.

${serverGuide({
  1: "worse, by at least the points of --fail-if-worse",
  2: "no job has the release, --fail-if-worse has fewer than two references, or the command line is wrong",
})}`;

export function trendsCommand(): Command {
  const command = new PeopleCommand("svc trends")
    .summary("compare the scores of the same clips over releases")
    .description(
      "Compares the scores of finished jobs over the values of a label: which releases changed them, and by how much.",
    )
    .argument("<label>", "key of the label whose values are the releases", parseKey)
    .addOption(labelOption("only jobs with this label"))
    .addOption(optional("--metric <name>", "the metric", "the main score of the latest job"))
    .addOption(optional("--baseline <release>", "compare with this release", "the one before the candidate"))
    .addOption(optional("--candidate <release>", "compare this release", "the last one"));
  for (const option of trendOptions()) command.addOption(option);
  command
    .addOption(jsonOption("the trend").conflicts("csv"))
    .addOption(optional("--csv", "print a table as CSV: the releases, or that of --table", "text"))
    .addOption(tableOption(TREND_TABLES))
    .withGuide(GUIDE);
  return addServerOptions(command).action((by: string, flags: Flags) =>
    withServer(flags, (connection, signal) => show(connection, by, flags, signal)),
  );
}

async function show(connection: Connection, by: string, flags: Flags, signal: AbortSignal): Promise<number> {
  const { label: labels = {}, failIfWorse } = flags;
  checkTable(flags);
  const trend = await fetchTrend(connection, { ...flags, by, labels }, signal);
  await writeAll(process.stdout, textOf(trend, flags));
  return exitOf(trend, failIfWorse);
}

function textOf(trend: Trend, { json, csv, table = TREND_TABLES[0] }: Flags): Iterable<string> {
  if (json) return [messageJson(TrendSchema, trend, 2)];
  if (csv) return trendCsv(table, trendJson(trend));
  return trendLines(trend, detectTerminal(process.stdout, process.env)).map((line) => `${line}\n`);
}

function parseKey(text: string): string {
  if (LABEL_KEY.test(text)) return text;
  throw new InvalidArgumentError("Give the key of a label, such as release.");
}
