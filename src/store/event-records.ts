/** What happened to jobs, as the store tells it. */
import type { JobState } from "../jobs/states.ts";
import type { JobRow, Labels } from "./job-records.ts";

export const EVENT_KINDS = ["CHANGE", "DELETED"] as const;

export interface JobEvent {
  /** Opaque text that sorts nothing: where to resume. */
  readonly id: string;
  readonly kind: (typeof EVENT_KINDS)[number];
  /** State before the change. */
  readonly before: JobState | undefined;
  /** The job after the change; for DELETED its last state. */
  readonly job: JobRow;
  readonly labels: Labels;
  /** Those before the change; undefined: they did not change. */
  readonly labelsBefore: Labels | undefined;
}

/** Events in the order in which they count. */
export interface EventPage {
  readonly events: readonly JobEvent[];
  /** Place after what was read. */
  readonly cursor: string;
}
