/** The speed and remaining time of a job. */

export interface Pace {
  /** Frames per second since the job started; 0 until the first frame. */
  readonly fps: number;
  /** Seconds; undefined until the first frame, 0 if nothing is left. */
  readonly secondsLeft: number | undefined;
}

/**
 * @param elapsedMs since the job started; clock skew between machines can make it negative.
 * @param ended no more frames will be scored.
 */
export function paceOf(framesDone: number, framesTotal: number, elapsedMs: number, ended: boolean): Pace {
  const fps = elapsedMs > 0 ? framesDone / (elapsedMs / 1000) : 0;
  if (ended) return { fps, secondsLeft: 0 };
  if (fps === 0) return { fps, secondsLeft: undefined };
  return { fps, secondsLeft: Math.max(0, framesTotal - framesDone) / fps };
}
