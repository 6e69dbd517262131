/** What stills a job may have, and where their work stands among the other. */

/** Frames whose stills a call asks for. */
export const MOST_FRAMES_ASKED = 16;
/** Frames of a job that there are stills of. */
export const MOST_STILL_FRAMES = 64;
/** Pieces of work for them that a job has: each frame by itself, and as many tries again. */
export const MOST_STILL_WORK = 128;
/** Behind all other work of the tenant, whose rank is the negative of a priority. */
export const STILLS_RANK = 1_000_000;
/** For the fair share (jobs/fairness.ts), however little is decoded for them: about what planning costs. */
export const LEAST_STILLS_COST = 1;
