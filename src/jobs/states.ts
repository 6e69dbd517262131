/** The states of jobs, tasks and nodes, and the transitions of jobs and tasks. Diagrams are in docs/states.md. */

export const JOB_STATES = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The possible next states of a job in each state. A terminal state has none. */
export const JOB_TRANSITIONS: Readonly<Record<JobState, readonly JobState[]>> = {
  QUEUED: ["RUNNING", "FAILED", "CANCELLED"],
  RUNNING: ["SUCCEEDED", "FAILED", "CANCELLED"],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: [],
};

/** States of ended jobs. */
export const TERMINAL_STATES = JOB_STATES.filter((state) => isTerminal(JOB_TRANSITIONS, state));

export const WORK_STATES = ["PENDING", "WAITING", "LEASED", "DONE", "FAILED", "CANCELLED"] as const;
export type WorkState = (typeof WORK_STATES)[number];

/**
 * The possible next states of a task in each state. WAITING is PENDING during a back-off. A task is
 * CANCELLED with its job, or when its pair must be scored in another way.
 */
export const WORK_TRANSITIONS: Readonly<Record<WorkState, readonly WorkState[]>> = {
  PENDING: ["LEASED", "CANCELLED"],
  WAITING: ["PENDING", "CANCELLED"],
  // PENDING: returned by a node that shuts down.
  LEASED: ["DONE", "FAILED", "PENDING", "WAITING", "CANCELLED"],
  DONE: [],
  FAILED: [],
  CANCELLED: [],
};

/** The store keeps two flags of a node, offline and draining; offline takes precedence. */
export const NODE_STATES = ["ONLINE", "DRAINING", "OFFLINE"] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** Returns the states from which `to` can be reached: those that an UPDATE to it may find. */
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
