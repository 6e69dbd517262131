/** What a tenant may have and do at a time, so that no tenant takes what others need. */

export interface Limits {
  /** Jobs in state QUEUED. Infinity: any number. */
  readonly jobsQueued: number;
  /** Pieces of work that nodes have, plans too. Infinity: any number. */
  readonly segmentsRunning: number;
  /** Jobs stored in a second, at one controller. Infinity: any number. */
  readonly submitsPerSecond: number;
  /** Share of the nodes beside other tenants that have work: twice the weight is twice the share. */
  readonly weight: number;
}

/** The limits of a tenant as they are now: asked for at every use, because they may change. */
export type LimitsOf = (tenant: string) => Limits;

export interface LimitRule {
  /** The smallest and the greatest whole number that it can be. */
  readonly min: number;
  readonly max: number;
  /** Whether it can be "none": any number, Infinity. */
  readonly canBeNone: boolean;
  /** Where nobody said otherwise. */
  readonly fallback: number;
}

export const LIMIT_RULES = {
  jobsQueued: { min: 1, max: 100_000_000, canBeNone: true, fallback: 100_000 },
  segmentsRunning: { min: 1, max: 1_000_000, canBeNone: true, fallback: Number.POSITIVE_INFINITY },
  submitsPerSecond: { min: 1, max: 1_000_000, canBeNone: true, fallback: 1_000 },
  weight: { min: 1, max: 1_000, canBeNone: false, fallback: 1 },
} as const satisfies Record<keyof Limits, LimitRule>;

export const LIMIT_NAMES = Object.keys(LIMIT_RULES) as readonly (keyof Limits)[];
