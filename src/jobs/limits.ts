/** The limits of a tenant, so that no tenant uses up the resources of others. */

export interface Limits {
  /** Jobs in state QUEUED. Infinity: unlimited. */
  readonly jobsQueued: number;
  /** Leased tasks, including PLAN tasks. Infinity: unlimited. */
  readonly segmentsRunning: number;
  /** Jobs submitted per second to one controller. Infinity: unlimited. */
  readonly submitsPerSecond: number;
  /** Weight of the fair share among active tenants: twice the weight is twice the share. */
  readonly weight: number;
}

/** Returns the current limits of a tenant. Called at every use because limits can change. */
export type LimitsOf = (tenant: string) => Limits;

export interface LimitRule {
  /** Bounds of the value, a whole number. */
  readonly min: number;
  readonly max: number;
  /** Whether it can be "none": unlimited, Infinity. */
  readonly canBeNone: boolean;
  /** Default value. */
  readonly fallback: number;
}

export const LIMIT_RULES = {
  jobsQueued: { min: 1, max: 100_000_000, canBeNone: true, fallback: 100_000 },
  segmentsRunning: { min: 1, max: 1_000_000, canBeNone: true, fallback: Number.POSITIVE_INFINITY },
  submitsPerSecond: { min: 1, max: 1_000_000, canBeNone: true, fallback: 1_000 },
  weight: { min: 1, max: 1_000, canBeNone: false, fallback: 1 },
} as const satisfies Record<keyof Limits, LimitRule>;
