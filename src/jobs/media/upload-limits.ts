/** The limits of a tenant's uploads. */
import type { LimitRule } from "../limits.ts";

const DAY_MS = 86_400_000;
const GIB = 2 ** 30;

/** The limits of one tenant. */
export interface UploadLimits {
  readonly bytes: number;
  readonly count: number;
  /** Milliseconds that a complete upload is kept. */
  readonly keptMs: number;
}

/** Returns the current limits of a tenant. Called at every use because limits can change. */
export type UploadLimitsOf = (tenant: string) => UploadLimits;

/** The settings: number of uploads, GiB of all of them, and days that one is kept. */
export const UPLOAD_LIMIT_RULES = {
  uploads: { min: 1, max: 10_000, canBeNone: false, fallback: 1000 },
  uploadSize: { min: 1, max: 1_000_000, canBeNone: false, fallback: 100 },
  uploadRetention: { min: 1, max: 36_500, canBeNone: false, fallback: 7 },
} as const satisfies Readonly<Record<string, LimitRule>>;

export type UploadLimitSettings = Readonly<Record<keyof typeof UPLOAD_LIMIT_RULES, number>>;

export function uploadLimits({ uploads, uploadSize, uploadRetention }: UploadLimitSettings): UploadLimits {
  return { count: uploads, bytes: uploadSize * GIB, keptMs: uploadRetention * DAY_MS };
}
