/** Progress of a score whose segments are scored one after the other. */

import type { Progress } from "../contract/result.ts";
import type { Segment } from "../planning/segment.ts";

export class ProgressMeter {
  #total: number;
  readonly #report: ((progress: Progress) => void) | undefined;
  readonly #started = performance.now();
  readonly #done = new Map<Segment, number>();

  constructor(total: number, report: ((progress: Progress) => void) | undefined) {
    this.#total = total;
    this.#report = report;
  }

  /** Changes the number of frames to score, including those that are already scored. */
  expect(total: number): void {
    this.#total = total;
  }

  /** Reports the progress again. */
  repeat(): void {
    this.#report?.(this.#progress());
  }

  /** `frames`: number of the segment's frames that have passed the scorer, context included. */
  update(segment: Segment, frames: number): void {
    const own = Math.min(segment.count, Math.max(0, frames - segment.before));
    if (own <= (this.#done.get(segment) ?? -1)) return;
    this.#done.set(segment, own);
    this.#report?.(this.#progress());
  }

  #progress(): Progress {
    let framesDone = 0;
    for (const frames of this.#done.values()) framesDone += frames;
    const seconds = (performance.now() - this.#started) / 1000;
    const fps = framesDone / seconds;
    const secondsLeft = framesDone === 0 ? undefined : (this.#total - framesDone) / fps;
    return { framesDone, framesTotal: this.#total, fps, secondsLeft };
  }
}
