/** Filters of jobs: parses them, and matches them against events. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { isId } from "../../jobs/ids.ts";
import { LABEL_KEY, MAX_LABEL_VALUE, MAX_LABELS } from "../../jobs/request-limits.ts";
import type { JobState } from "../../jobs/states.ts";
import { invalid } from "../../platform/failure.ts";
import type { JobEvent } from "../../store/contract/event-records.ts";
import type { JobFilter, Labels } from "../../store/contract/job-records.ts";
import { millisecondsOf } from "./instants.ts";

/** Maximum ids of a stream, which keeps them in memory while it is open. */
const MAX_IDS = 100;

const STATES: Readonly<Record<number, JobState>> = {
  [Job_State.QUEUED]: "QUEUED",
  [Job_State.RUNNING]: "RUNNING",
  [Job_State.SUCCEEDED]: "SUCCEEDED",
  [Job_State.FAILED]: "FAILED",
  [Job_State.CANCELLED]: "CANCELLED",
};

/** Throws INVALID_REQUEST, which names the label. */
export function checkLabels(field: string, labels: Labels): void {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) {
    throw invalid(`${field} has ${entries.length} labels; at most ${MAX_LABELS} are allowed.`);
  }
  for (const [key, value] of entries) {
    checkLabelKey(field, key);
    if (Array.from(value).length > MAX_LABEL_VALUE) {
      throw invalid(`${field}.${key} is longer than ${MAX_LABEL_VALUE} characters.`);
    }
    if (!value.isWellFormed() || /\p{Cc}/u.test(value)) {
      throw invalid(`${field}.${key} contains a control character.`);
    }
  }
}

/** Throws INVALID_REQUEST. */
export function checkLabelKey(field: string, key: string): void {
  if (LABEL_KEY.test(key)) return;
  const shown = JSON.stringify(key.slice(0, 80));
  throw invalid(`${field} has the key ${shown}. Use 1 to 63 letters, digits, ".", "_", "-" or "/".`);
}

export interface WantedJobs {
  readonly ids?: readonly string[];
  readonly states: readonly number[];
  readonly labels: Labels;
  readonly since?: Timestamp | undefined;
  readonly until?: Timestamp | undefined;
  readonly endedSince?: Timestamp | undefined;
  readonly endedUntil?: Timestamp | undefined;
  readonly gatesMissed?: boolean;
}

/** Throws INVALID_REQUEST. An empty list does not filter. `most`: the maximum number of ids. */
export function filterOf(wanted: WantedJobs, most = MAX_IDS): JobFilter {
  const { ids = [], states, labels } = wanted;
  if (ids.length > most) throw invalid(`ids names ${ids.length} jobs; at most ${most} are allowed.`);
  const odd = ids.findIndex((id) => !isId(id));
  if (odd >= 0) throw invalid(`ids[${odd}] is not a job id, which has 36 characters.`);
  checkLabels("labels", labels);
  return {
    ...(ids.length > 0 && { ids: [...new Set(ids)] }),
    ...(states.length > 0 && { states: [...new Set(states.map(stateOf))] }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...timesOf(wanted),
    ...(wanted.gatesMissed && { gatesMissed: true as const }),
  };
}

function timesOf({ since, until, endedSince, endedUntil }: WantedJobs): JobFilter {
  return {
    ...(since && { sinceMs: millisecondsOf("since", since) }),
    ...(until && { untilMs: millisecondsOf("until", until) }),
    ...(endedSince && { endedSinceMs: millisecondsOf("endedSince", endedSince) }),
    ...(endedUntil && { endedUntilMs: millisecondsOf("endedUntil", endedUntil) }),
  };
}

function stateOf(state: number): JobState {
  const known = STATES[state];
  if (known !== undefined) return known;
  throw invalid(`states names ${state}, which is not a state. Use ${Object.values(STATES).join(", ")}.`);
}

/**
 * Returns whether an event of the caller's tenant matches: the job entered, left or stayed in the filtered states and
 * labels. The deletion of a job always matches if its id does, because its earlier changes can no longer be read.
 */
export function matches(filter: JobFilter, event: JobEvent): boolean {
  const { kind, job, before, labels, labelsBefore } = event;
  if (filter.ids !== undefined && !filter.ids.includes(job.id)) return false;
  if (kind === "DELETED") return true;
  const { states } = filter;
  if (states !== undefined && !states.includes(job.state) && !(before && states.includes(before)))
    return false;
  const has = (own: Labels) =>
    Object.entries(filter.labels ?? {}).every(([key, value]) => own[key] === value);
  return has(labels) || (labelsBefore !== undefined && has(labelsBefore));
}
