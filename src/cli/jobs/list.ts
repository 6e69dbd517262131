/** The command `svc jobs list`. */
import { type Command, Option } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import {
  type Job,
  JobSchema,
  JobService,
  ListJobsRequest_Sort as Sort,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { isMissed } from "../../jobs/gates/outcome.ts";
import { ScorerCounts } from "../../jobs/scored-apart.ts";
import { jobJson } from "../../messages/json.ts";
import { type JobAnswer, jobsCsv } from "../../report/csv/jobs.ts";
import { PeopleCommand } from "../command.ts";
import { addLimitOptions, type Limits, pagesOf, printList } from "../connection/pages.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { TIMES_GUIDE } from "../flags/instants.ts";
import { optional } from "../flags/optional.ts";
import { ageText } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addEndOptions, addFilterOptions, type FilterFlags, filterOf } from "./filter.ts";
import { keptGates } from "./gates.ts";
import { scorersLines } from "./scored-apart.ts";
import { millisecondsOf, percentOf, scoreText, stateName, titleOf } from "./state.ts";

const SORTS = {
  newest: Sort.NEWEST,
  oldest: Sort.OLDEST,
  "last-ended": Sort.LAST_ENDED,
  "first-ended": Sort.FIRST_ENDED,
} as const;

interface ListFlags extends ServerFlags, Limits, FilterFlags {
  readonly sort: keyof typeof SORTS;
  readonly csv?: boolean;
}

const GUIDE = `
Examples:
  Running jobs, and failed jobs of a release:
    $ svc jobs list --state running
    $ svc jobs list --state failed --label release=7

  Jobs that ended since a time, latest first:
    $ svc jobs list --ended-since 2026-05-16T08:00:00Z --sort last-ended

  Last night's jobs that miss one of their gates:
    $ svc jobs list --all --gates-missed --ended-since 12h

  The jobs of last week as a sheet:
    $ svc jobs list --all --since 7d --csv > jobs.csv

  The ids of all jobs of a release:
    $ svc jobs list --all --label release=7 --json | jq -r .id

${TIMES_GUIDE}

${serverGuide()}`;

export function listCommand(): Command {
  const command = new PeopleCommand("svc jobs list")
    .summary("list jobs, newest first or in another order")
    .description(
      "Lists the jobs of your tenant, newest first: id, state, progress, score, gates, age, name.",
    );
  addLimitOptions(addEndOptions(addFilterOptions(command)).addOption(sortOption()), "jobs")
    .addOption(jsonOption("one job per line").conflicts("csv"))
    .addOption(optional("--csv", "print the jobs as CSV, for a sheet", "text"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((flags: ListFlags) =>
    withServer(flags, (connection, signal) => {
      const scorers = new ScorerCounts();
      return printList(jobPages(connection, flags, signal), {
        json: flags.json,
        csv: flags.csv
          ? (jobs, { heading }) =>
              jobsCsv(
                jobs.map((job) => jobJson(job) as JobAnswer),
                heading,
              )
          : undefined,
        schema: JobSchema,
        table: (jobs, terminal, options) => {
          for (const { scorer } of jobs) if (scorer !== undefined) scorers.add(scorer);
          return jobTable(jobs, terminal, Date.now(), options);
        },
        footer: (terminal) => scorersLines(scorers.apart, terminal),
        none: "No jobs.",
      });
    }),
  );
}

function sortOption(): Option {
  const orders = Object.keys(SORTS).join(", ");
  const about = `${orders}; the last two list only finished jobs`;
  return new Option("--sort <order>", about).choices(Object.keys(SORTS)).default("newest");
}

function jobPages(
  connection: Connection,
  flags: ListFlags,
  signal: AbortSignal,
): AsyncGenerator<readonly Job[]> {
  const asked = { ...filterOf(flags), sort: SORTS[flags.sort] };
  return pagesOf(async (at) => {
    const page = await connection.call(JobService.method.listJobs, { ...asked, ...at }, { signal });
    return { things: page.jobs, nextPageToken: page.nextPageToken };
  }, flags);
}

/** Returns one line per job; `now` in milliseconds since 1970. */
export function jobTable(
  jobs: readonly Job[],
  terminal: Terminal,
  now: number,
  { heading }: { heading: boolean },
): string[] {
  return tableLines(jobs, columnsAt(now, terminal), terminal, { heading });
}

function columnsAt(now: number, terminal: Terminal): readonly TableColumn<Job>[] {
  return [
    { heading: "ID", text: ({ id }) => id, atLeast: 36 },
    { heading: "STATE", text: ({ state }) => stateName(state), atLeast: 9 },
    { heading: "DONE", text: doneText, atLeast: 5, align: "right", dispensable: 1 },
    {
      heading: "SCORE",
      text: (job) => shortScore(job, terminal),
      atLeast: 7,
      align: "right",
      dispensable: 2,
    },
    { heading: "GATES", text: gatesText, atLeast: 0, dispensable: 4 },
    { heading: "AGE", text: (job) => jobAge(job, now), atLeast: 4, align: "right", dispensable: 3 },
    { heading: "NAME", text: titleOf, atLeast: 0 },
  ];
}

/** "pass" or "MISSED"; "-" without gates, or before the job has a score. */
function gatesText(job: Job): string {
  const outcomes = keptGates(job);
  if (outcomes.length === 0) return "-";
  return outcomes.some(isMissed) ? "MISSED" : "pass";
}

function doneText(job: Job): string {
  const percent = percentOf(job);
  return percent === undefined ? "-" : `${percent} %`;
}

function shortScore(job: Job, terminal: Terminal): string {
  const { score, estimate } = job;
  if (estimate !== undefined) return scoreText(job, terminal) ?? "-";
  return score === undefined ? "-" : score.toFixed(3);
}

function jobAge({ createTime }: Job, now: number): string {
  const created = millisecondsOf(createTime);
  return created === undefined ? "-" : ageText(now - created);
}
