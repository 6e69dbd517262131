/** The limits on stills of a job, and the rank and cost of their tasks. */

/** Frames that one call can request stills of. */
export const MAX_FRAMES_ASKED = 16;
/** Frames of a job that can have stills. */
export const MAX_STILL_FRAMES = 64;
/** STILLS tasks of a job: one for each frame, and as many retries. */
export const MAX_STILL_WORK = 128;
/** Rank of STILLS tasks: behind all other tasks of the tenant, whose rank is the negative of a priority. */
export const STILLS_RANK = 1_000_000;
/** Minimum cost for the fair share (jobs/fairness.ts), even if little is decoded: about the cost of planning. */
export const MIN_STILLS_COST = 1;
