/** The command `svc comparisons list`. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import {
  type Comparison,
  ComparisonSchema,
  ComparisonService,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";
import { comparisonJson } from "../../messages/json.ts";
import { PeopleCommand } from "../command.ts";
import { addLimitOptions, type FetchPage, type Limits, pagesOf, printList } from "../connection/pages.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { optional } from "../flags/optional.ts";
import { ageText } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";

interface ListFlags extends ServerFlags, Limits {
  readonly csv?: boolean;
}

const GUIDE = `
Examples:
  $ svc comparisons list
  $ svc comparisons list --json | jq -r 'select(.progress.failed > 0) | .id'
  $ svc comparisons list --all --csv > comparisons.csv

${serverGuide()}`;

export function listCommand(): Command {
  const command = new PeopleCommand("svc comparisons list")
    .summary("list the comparisons of your tenant, newest first")
    .description(
      "Lists comparisons, newest first: id, age, cells with a score, without one and in all, name.",
    );
  addLimitOptions(command, "comparisons")
    .addOption(jsonOption("one comparison per line").conflicts("csv"))
    .addOption(optional("--csv", "print the comparisons as CSV, for a sheet", "text"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: ListFlags) =>
    withServer(flags, (connection, signal) => list(connection, flags, signal)),
  );
}

function list(connection: Connection, flags: ListFlags, signal: AbortSignal): Promise<number> {
  const fetch: FetchPage<Comparison> = async (at) => {
    const page = await connection.call(ComparisonService.method.listComparisons, at, { signal });
    return { things: page.comparisons, nextPageToken: page.nextPageToken };
  };
  const now = Date.now();
  return printList(pagesOf(fetch, flags), {
    json: flags.json,
    csv: flags.csv
      ? (comparisons, { heading }) => csvTable(CSV, comparisons.map(comparisonJson), heading)
      : undefined,
    schema: ComparisonSchema,
    table: (comparisons, terminal, options) => tableLines(comparisons, columnsFor(now), terminal, options),
    none: "No comparisons. svc compare --submit stores one.",
  });
}

function columnsFor(now: number): readonly TableColumn<Comparison>[] {
  const number = { atLeast: 0, align: "right" } as const;
  return [
    { heading: "ID", text: ({ id }) => id, atLeast: 36 },
    {
      heading: "AGE",
      ...number,
      text: ({ createTime }) => ageText(createTime ? now - timestampMs(createTime) : 0),
    },
    { heading: "SCORED", ...number, text: ({ progress }) => String(progress?.succeeded ?? 0) },
    { heading: "FAILED", ...number, dispensable: 1, text: ({ progress }) => String(withoutScore(progress)) },
    { heading: "CELLS", ...number, text: ({ progress }) => String(progress?.cells ?? 0) },
    { heading: "NAME", text: ({ name }) => name || "-", atLeast: 0 },
  ];
}

const CSV: readonly CsvColumn<ReturnType<typeof comparisonJson>>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ...(["cells", "queued", "running", "succeeded", "failed", "cancelled", "deleted"] as const).map(
    (count): CsvColumn<ReturnType<typeof comparisonJson>> => [count, ({ progress }) => progress[count]],
  ),
  ["submitted", ({ createTime }) => createTime],
  ["submitted_by", ({ submittedBy }) => submittedBy],
];

/** Cells that have ended without a score. */
function withoutScore(progress: Comparison["progress"]): number {
  const { failed = 0, cancelled = 0, deleted = 0 } = progress ?? {};
  return failed + cancelled + deleted;
}
