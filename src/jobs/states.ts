/** The states of jobs, pieces of work and nodes, and the ways between those of jobs and work. Drawn in docs/states.md. */

export const JOB_STATES = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
export type JobState = (typeof JOB_STATES)[number];

/** From each state of a job, those that it can go to. A terminal state goes nowhere. */
export const JOB_TRANSITIONS: Readonly<Record<JobState, readonly JobState[]>> = {
  QUEUED: ["RUNNING", "FAILED", "CANCELLED"],
  RUNNING: ["SUCCEEDED", "FAILED", "CANCELLED"],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: [],
};

/** Of jobs that have ended. */
export const TERMINAL_STATES = JOB_STATES.filter((state) => isTerminal(JOB_TRANSITIONS, state));

export const WORK_STATES = ["PENDING", "WAITING", "LEASED", "DONE", "FAILED", "CANCELLED"] as const;
export type WorkState = (typeof WORK_STATES)[number];

/**
 * From each state of a piece of work, those that it can go to. WAITING is PENDING with a
 * back-off that has not passed yet. Work is CANCELLED with its job, or when its pair must
 * be scored in another way.
 */
export const WORK_TRANSITIONS: Readonly<Record<WorkState, readonly WorkState[]>> = {
  PENDING: ["LEASED", "CANCELLED"],
  WAITING: ["PENDING", "CANCELLED"],
  // PENDING: handed back by a node that stops.
  LEASED: ["DONE", "FAILED", "PENDING", "WAITING", "CANCELLED"],
  DONE: [],
  FAILED: [],
  CANCELLED: [],
};

/** The store keeps two facts of a node, whether it is offline and whether it drains: the first of them counts. */
export const NODE_STATES = ["ONLINE", "DRAINING", "OFFLINE"] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** States from which `to` can be reached: what an UPDATE to it may find. */
export function statesBefore<S extends string>(
  transitions: Readonly<Record<S, readonly S[]>>,
  to: S,
): readonly S[] {
  return (Object.keys(transitions) as S[]).filter((from) => transitions[from].includes(to));
}

export function isTerminal<S extends string>(
  transitions: Readonly<Record<S, readonly S[]>>,
  state: S,
): boolean {
  return transitions[state].length === 0;
}
