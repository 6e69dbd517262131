/** The command `svc jobs list`. */
import { type Command, InvalidArgumentError, type Option } from "commander";
import type { Connection } from "../../client/connection.ts";
import { type Job, JobSchema, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import { JOB_STATES, type JobState } from "../../jobs/states.ts";
import { PeopleCommand } from "../command.ts";
import { ageText } from "../numbers.ts";
import { optional } from "../optional.ts";
import { addLimitOptions, type Limits, pagesOf, printList } from "../pages.ts";
import { addServerOptions, jsonOption, type ServerFlags, serverGuide, withServer } from "../server.ts";
import { type TableColumn, tableLines } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { type Labels, labelOption } from "./labels.ts";
import { millisecondsOf, percentOf, stateName, stateOf, titleOf } from "./state.ts";

interface ListFlags extends ServerFlags, Limits {
  readonly state?: readonly JobState[];
  readonly label?: Labels;
}

const GUIDE = `
Examples:
  What runs now, and what failed:
    $ svc jobs list --state running
    $ svc jobs list --state failed --label release=7

  The ids of all jobs of a release:
    $ svc jobs list --all --label release=7 --json | jq -r .id

${serverGuide()}`;

export function listCommand(): Command {
  const command = new PeopleCommand("svc jobs list")
    .summary("the jobs, newest first")
    .description("Lists the jobs of your tenant, newest first: id, state, progress, score, age, name.")
    .addOption(stateOption("only jobs in this state"))
    .addOption(labelOption("only jobs with this label"));
  addLimitOptions(command, "jobs").addOption(jsonOption("one job per line")).withGuide(GUIDE);
  return addServerOptions(command).action((flags: ListFlags) =>
    withServer(flags, (connection, signal) =>
      printList(jobPages(connection, flags, signal), {
        json: flags.json,
        schema: JobSchema,
        table: (jobs, terminal, options) => jobTable(jobs, terminal, Date.now(), options),
        none: "No jobs.",
      }),
    ),
  );
}

export function stateOption(help: string): Option {
  const words = JOB_STATES.join(", ").toLowerCase();
  return optional("--state <state>", `${help}: ${words}; repeatable`, "any").argParser(
    (value: string, before: readonly JobState[] | undefined) => {
      const state = JOB_STATES.find((known) => known === value.toUpperCase());
      if (state === undefined) throw new InvalidArgumentError(`There are: ${words}.`);
      return [...(before ?? []), state];
    },
  );
}

function jobPages(
  connection: Connection,
  { state = [], label = {}, ...limits }: ListFlags,
  signal: AbortSignal,
): AsyncGenerator<readonly Job[]> {
  const filter = { states: state.map(stateOf), labels: label };
  return pagesOf(async (at) => {
    const page = await connection.call(JobService.method.listJobs, { ...filter, ...at }, { signal });
    return { things: page.jobs, nextPageToken: page.nextPageToken };
  }, limits);
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
