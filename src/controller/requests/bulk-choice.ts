/** Requests that change many jobs: which jobs they select, and the steps in which they run. */
import type { AuditEntry } from "../../audit/entry.ts";
import type {
  CancelJobsRequest,
  DeleteJobsRequest,
  JobFilter as Wanted,
} from "../../gen/proto/svc/v1/job_pb.ts";
import { MAX_CHANGED } from "../../jobs/request-limits.ts";
import {
  JOB_STATES,
  JOB_TRANSITIONS,
  type JobState,
  statesBefore,
  TERMINAL_STATES,
} from "../../jobs/states.ts";
import { labelTexts } from "../../jobs/text/labels.ts";
import { batchesOf } from "../../platform/batches.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { JobCursor, JobFilter, JobsStep } from "../../store/contract/job-records.ts";
import { filterOf } from "./filter.ts";

/** Ids that are looked up in one step. */
const IDS_OF_STEP = 100;

export interface Choice {
  readonly filter: JobFilter;
  /** The filter as written to the audit log. */
  readonly auditFilter: string;
  /** Only counts the jobs. */
  readonly dryRun: boolean;
}

/** What happens to the jobs; used in messages. */
export type Verb = "cancelled" | "deleted";

/** Throws INVALID_REQUEST. */
export function toCancel(request: CancelJobsRequest): Choice {
  return choiceOf(request, "cancelled", statesBefore(JOB_TRANSITIONS, "CANCELLED"));
}

/** Throws INVALID_REQUEST. */
export function toDelete(request: DeleteJobsRequest): Choice {
  return choiceOf(request, "deleted", request.cancel ? JOB_STATES : TERMINAL_STATES);
}

/** `possible`: states that may be selected. */
function choiceOf(
  request: CancelJobsRequest | DeleteJobsRequest,
  verb: Verb,
  possible: readonly JobState[],
): Choice {
  const { filter: wanted, all, dryRun } = request;
  const filter = wanted === undefined ? {} : filterOf(wanted, MAX_CHANGED);
  const isFiltered = Object.keys(filter).length > 0;
  if (all && isFiltered) throw invalid("all and filter are both given. Give one of them.");
  if (!all && !isFiltered) {
    throw invalid("filter has no condition. Give one, or all: true for every job.");
  }
  const states = filter.states ?? possible;
  const odd = states.find((state) => !possible.includes(state));
  if (odd !== undefined) throw invalid(impossible(odd, verb, possible));
  const flags = { all, cancel: "cancel" in request && request.cancel, dryRun };
  const every = states.length === JOB_STATES.length;
  return {
    filter: { ...filter, ...(!every && { states }) },
    auditFilter: auditFilterOf(wanted, filter, flags),
    dryRun,
  };
}

function impossible(state: JobState, verb: Verb, possible: readonly JobState[]): string {
  const advice = verb === "deleted" ? " Set cancel: true to include jobs that have not ended." : "";
  return `filter.states names ${state}; only jobs that are ${possible.join(" or ")} can be ${verb}.${advice}`;
}

/** Formats the filter like the query of GET /v1/jobs. Ids are left out: they are recorded as targets of the call. */
function auditFilterOf(
  wanted: Wanted | undefined,
  { states = [], labels = {}, gatesMissed }: JobFilter,
  flags: Readonly<Record<string, boolean>>,
): string {
  const query = new URLSearchParams();
  for (const state of states) query.append("state", state);
  for (const label of labelTexts(labels)) query.append("label", label);
  for (const time of ["since", "until", "endedSince", "endedUntil"] as const) {
    const given = wanted?.[time];
    if (given) query.append(time, new Date(Number(given.seconds) * 1000 + given.nanos / 1e6).toISOString());
  }
  if (gatesMissed) query.append("gatesMissed", "true");
  for (const [flag, isSet] of Object.entries(flags)) if (isSet) query.append(flag, "true");
  return query.toString();
}

export interface Progress {
  /** Jobs that matched at the start. */
  readonly matched: number;
  readonly changed: number;
}

export interface BulkChange {
  readonly verb: Verb;
  readonly entry: AuditEntry | undefined;
  readonly count: (filter: JobFilter) => Promise<number>;
  readonly step: (filter: JobFilter, after: JobCursor | undefined) => Promise<JobsStep>;
  /** Throws if the steps must not continue. */
  readonly checkContinue: () => void;
}

/** Yields the count, then the progress after each step. Throws Failure, which states the progress made. */
export async function* inSteps(choice: Choice, bulk: BulkChange): AsyncGenerator<Progress> {
  const { verb, entry, count, step, checkContinue } = bulk;
  entry?.chose(choice.auditFilter, 0);
  const matched = await count(choice.filter);
  let changed = 0;
  yield { matched, changed };
  try {
    for (const filter of choice.dryRun ? [] : parts(choice.filter)) {
      for (let after: JobCursor | undefined; ; ) {
        checkContinue();
        const { jobs, next } = await step(filter, after);
        changed += jobs.length;
        entry?.chose(choice.auditFilter, changed);
        yield { matched, changed };
        if (next === undefined) break;
        after = next;
      }
    }
  } catch (thrown) {
    throw soFar(Failure.from(thrown), verb, { matched, changed });
  }
  if (changed === 0) entry?.changedNothing();
}

/** Splits a filter with many ids into filters with a few. */
function parts(filter: JobFilter): JobFilter[] {
  const { ids } = filter;
  if (ids === undefined) return [filter];
  return batchesOf(ids, IDS_OF_STEP).map((batch) => ({ ...filter, ids: batch }));
}

function soFar(failure: Failure, verb: Verb, { matched, changed }: Progress): Failure {
  const { code, message, found, retryAfterMs } = failure;
  return new Failure(
    code,
    `${message} ${changed} of ${matched} jobs were already ${verb}. Repeat the request to continue.`,
    { found: { ...found, matched, [verb]: changed }, retryAfterMs, cause: failure.cause ?? failure },
  );
}
