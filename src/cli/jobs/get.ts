/** The command `svc jobs get ID`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type Job, Job_State, JobSchema, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import { PeopleCommand } from "../command.ts";
import { messageJson } from "../connection/message-json.ts";
import {
  addServerOptions,
  jsonOption,
  required,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { checkTable, tableOption } from "../flags/table.ts";
import { gateLines } from "../score/gates.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { JOB_TABLES, type JobTable, jobCsv } from "./csv.ts";
import { keptGates } from "./gates.ts";
import { jobLines, jobPage } from "./job-page.ts";
import { jobReport } from "./result.ts";

interface GetFlags extends ServerFlags {
  readonly allMetrics?: boolean;
  readonly csv?: boolean;
  /** Undefined: the first one. */
  readonly table?: JobTable;
}

const GUIDE = `
Examples:
  The report of a job, as from svc score:
    $ svc jobs get 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10

  The score alone, for a script:
    $ svc jobs get 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --json | jq .score

  Its shots, each with its scores, as CSV:
    $ svc jobs get 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 --csv --table shots > shots.csv

${serverGuide({
  0: "the job is shown, in any state",
  2: "the job does not exist, with --csv: it has no scores, or the command line is wrong",
})}`;

export function getCommand(): Command {
  const command = new PeopleCommand("svc jobs get")
    .summary("show a job: its report, or its progress")
    .description(
      "Shows a job. If it succeeded: the report of svc score with its chart, or of svc doctor. Otherwise: its state, " +
        "what was found in both files, its progress or error, and its tasks.",
    )
    .argument("<id>", "the job's full id")
    .addOption(optional("--all-metrics", "also show the models' own features in the report", "off"))
    .addOption(jsonOption("the job").conflicts("csv"))
    .addOption(optional("--csv", "print a table as CSV: the pooled scores, or that of --table", "text"))
    .addOption(tableOption(JOB_TABLES))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, flags: GetFlags) =>
    withServer(flags, (connection, signal) => get(connection, id, flags, signal)),
  );
}

async function get(
  connection: Connection,
  id: string,
  flags: GetFlags,
  signal: AbortSignal,
): Promise<number> {
  checkTable(flags);
  const job = await fetchJob(connection, id, signal);
  if (flags.csv) await writeAll(process.stdout, jobCsv(flags.table ?? JOB_TABLES[0], job));
  else if (flags.json) await writeAll(process.stdout, [messageJson(JobSchema, job, 2)]);
  else await writeAll(process.stdout, [await pageText(connection, job, flags, signal)]);
  return EXIT.scored;
}

/** Fetches a job with its plan or result, and its tasks. Throws Failure. */
export async function fetchJob(connection: Connection, id: string, signal: AbortSignal): Promise<Job> {
  const { job } = await connection.call(JobService.method.getJob, { id }, { signal });
  return required(job, `job ${id}`);
}

async function pageText(
  connection: Connection,
  job: Job,
  { allMetrics = false }: GetFlags,
  signal: AbortSignal,
): Promise<string> {
  const terminal = detectTerminal(process.stdout, process.env);
  const lines =
    job.state === Job_State.SUCCEEDED
      ? [
          ...(await jobReport(connection, job, { terminal, allMetrics }, signal)),
          ...gateLines(keptGates(job), terminal),
          ...jobLines(job, terminal),
        ]
      : jobPage(job, terminal, Date.now());
  return `${lines.join("\n").trimEnd()}\n`;
}
