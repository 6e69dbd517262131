/** Events of jobs as the store returns them. */
import type { JobState } from "../../jobs/states.ts";
import type { JobRow, Labels } from "./job-records.ts";

export const EVENT_KINDS = ["CHANGE", "DELETED"] as const;

export interface JobEvent {
  /** Opaque, unordered text: the cursor to resume after this event. */
  readonly id: string;
  readonly kind: (typeof EVENT_KINDS)[number];
  /** State before the change. */
  readonly before: JobState | undefined;
  /** The job after the change; for DELETED, its last state. */
  readonly job: JobRow;
  readonly labels: Labels;
  /** Labels before the change; undefined if they did not change. */
  readonly labelsBefore: Labels | undefined;
}

/** Events in order. */
export interface EventPage {
  readonly events: readonly JobEvent[];
  /** Position after the last event read. */
  readonly cursor: string;
}
