/** The command `svc jobs list`. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Connection } from "../../client/connection.ts";
import {
  type Job,
  JobSchema,
  JobService,
  type ListJobsRequestSchema,
  type ListJobsResponse,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { JOB_STATES, type JobState } from "../../jobs/states.ts";
import { Failure } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import { EXIT, writeAll } from "../exit.ts";
import { ageText } from "../numbers.ts";
import { whole } from "../options.ts";
import { addServerOptions, jsonOption, SERVER_HELP, type ServerFlags, withServer } from "../server.ts";
import { type TableColumn, tableLines } from "../table.ts";
import { type Terminal, tableTerminal } from "../terminal.ts";
import { messageJson } from "./json.ts";
import { type Labels, labelOption } from "./labels.ts";
import { millisecondsOf, percentOf, stateName, stateOf, titleOf } from "./state.ts";

interface ListFlags extends ServerFlags {
  readonly state?: readonly JobState[];
  readonly label?: Labels;
  readonly limit: number;
  readonly all?: boolean;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000_000;
/** Jobs per page; the most that the interface gives. */
const PAGE = 500;

const EXAMPLES = `
Examples:
  What runs now, and what failed:
    svc jobs list --state running
    svc jobs list --state failed --label release=7

  The ids of all jobs of a release:
    svc jobs list --all --label release=7 --json | jq -r .id
${SERVER_HELP}`;

export function listCommand(): Command {
  const command = new PeopleCommand("svc jobs list")
    .summary("the jobs, newest first")
    .description("Lists the jobs of your tenant, newest first: id, state, progress, score, age, name.")
    .addOption(stateOption("only jobs in this state"))
    .addOption(labelOption("only jobs with this label"))
    .addOption(new Option("--limit <n>", "jobs at most").default(DEFAULT_LIMIT).argParser(whole(MAX_LIMIT)))
    .addOption(new Option("--all", "all of them (default: off)").conflicts("limit"))
    .addOption(jsonOption("one job per line"))
    .addHelpText("after", EXAMPLES);
  return addServerOptions(command).action((flags: ListFlags) =>
    withServer(flags, (connection, signal) => list(connection, flags, signal)),
  );
}

export function stateOption(help: string): Option {
  const words = JOB_STATES.join(", ").toLowerCase();
  return new Option("--state <state>", `${help}: ${words}; repeatable (default: any)`).argParser(
    (value: string, before: readonly JobState[] | undefined) => {
      const state = JOB_STATES.find((known) => known === value.toUpperCase());
      if (state === undefined) throw new InvalidArgumentError(`There are: ${words}.`);
      return [...(before ?? []), state];
    },
  );
}

async function list(connection: Connection, flags: ListFlags, signal: AbortSignal): Promise<number> {
  await writeAll(process.stdout, listText(connection, flags, signal));
  return EXIT.scored;
}

async function* listText(
  connection: Connection,
  flags: ListFlags,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let first = true;
  for await (const jobs of pages(connection, flags, signal)) {
    if (flags.json) yield jobs.map((job) => messageJson(JobSchema, job)).join("");
    else yield tableText(jobs, first);
    first = false;
  }
  if (first && !flags.json) yield "No jobs.\n";
}

/** The jobs in pages, none of them empty. */
async function* pages(
  connection: Connection,
  { state = [], label = {}, limit, all }: ListFlags,
  signal: AbortSignal,
): AsyncGenerator<readonly Job[]> {
  const states = state.map(stateOf);
  let left = all ? Number.POSITIVE_INFINITY : limit;
  let pageToken: string | undefined = "";
  let most = PAGE;
  while (left > 0 && pageToken !== undefined) {
    const request = { states, labels: label, pageSize: Math.min(most, left), pageToken };
    const page = await pageOf(connection, request, signal);
    if (page === undefined) {
      most = Math.ceil(request.pageSize / 2);
      continue;
    }
    if (page.jobs.length > 0) yield page.jobs;
    left -= page.jobs.length;
    pageToken = page.nextPageToken || undefined;
  }
}

/** undefined: so many jobs are more than a message holds, because theirs are long names and many labels. */
async function pageOf(
  connection: Connection,
  request: MessageInitShape<typeof ListJobsRequestSchema> & { pageSize: number },
  signal: AbortSignal,
): Promise<ListJobsResponse | undefined> {
  try {
    return await connection.call(JobService.method.listJobs, request, { signal });
  } catch (thrown) {
    const tooLarge = thrown instanceof Failure && thrown.code === "REQUEST_TOO_LARGE";
    if (tooLarge && request.pageSize > 1) return undefined;
    throw thrown;
  }
}

function tableText(jobs: readonly Job[], heading: boolean): string {
  const terminal = tableTerminal(process.stdout, process.env);
  return `${jobTable(jobs, terminal, Date.now(), { heading }).join("\n")}\n`;
}

/** One line per job; `now` in milliseconds of 1970. */
export function jobTable(
  jobs: readonly Job[],
  terminal: Terminal,
  now: number,
  { heading }: { heading: boolean },
): string[] {
  return tableLines(jobs, columnsAt(now), terminal, { heading });
}

function columnsAt(now: number): readonly TableColumn<Job>[] {
  return [
    { heading: "ID", text: ({ id }) => id, atLeast: 36 },
    { heading: "STATE", text: ({ state }) => stateName(state), atLeast: 9 },
    { heading: "DONE", text: doneText, atLeast: 5, align: "right", dispensable: 1 },
    { heading: "SCORE", text: scoreText, atLeast: 7, align: "right", dispensable: 2 },
    { heading: "AGE", text: (job) => jobAge(job, now), atLeast: 4, align: "right", dispensable: 3 },
    { heading: "NAME", text: titleOf, atLeast: 0 },
  ];
}

function doneText(job: Job): string {
  const percent = percentOf(job);
  return percent === undefined ? "-" : `${percent} %`;
}

function scoreText({ score }: Job): string {
  return score === undefined ? "-" : score.toFixed(3);
}

function jobAge({ createTime }: Job, now: number): string {
  const created = millisecondsOf(createTime);
  return created === undefined ? "-" : ageText(now - created);
}
