/** An engine that sleeps instead of scoring, and returns the plan and scores of a film. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PairRequest } from "../../src/engine/contract/request.ts";
import type {
  AvailableScorer,
  PlannedPair,
  SegmentOptions,
  SegmentScored,
  SegmentWork,
  Still,
  StillsWork,
  WorkEngine,
  WorkOptions,
} from "../../src/engine/contract/work.ts";
import type { Film } from "../film.ts";
import { JOB, JOB_SECONDS } from "../formulas.ts";
import { PICTURE_SIDE, pictureOf } from "../picture.ts";

const PLAN_MS = 4_000;
const STILLS_MS = 4_000;
const SEGMENT_MS = (JOB_SECONDS * 1_000 - PLAN_MS - STILLS_MS) / JOB.segments;
/** Random variation of task durations, so that tasks that start together do not end together. */
const SPREAD = 0.3;
/** Progress interval, like that of a scorer. */
const PROGRESS_MS = 500;
/** Small, because the size of the images is not measured. */
const PICTURE_BYTES = 100;

export class SleepingEngine implements WorkEngine {
  /** Number of busy nodes. */
  busy = 0;
  readonly #film: Film;
  readonly #planning: (distorted: string) => void;

  /** `planning` is called when a node starts to plan a pair. */
  constructor(film: Film, planning: (distorted: string) => void) {
    this.#film = film;
    this.#planning = planning;
  }

  get scorer() {
    return this.#film.scorer;
  }

  async scorers(): Promise<readonly AvailableScorer[]> {
    return [{ scorer: this.scorer, models: this.#film.planned.models, scoredBy: undefined }];
  }

  get canDiagnose(): boolean {
    return false;
  }

  async diagnose(): Promise<never> {
    throw new Error("no job of the simulation is diagnosed");
  }

  async makesStills(): Promise<boolean> {
    return true;
  }

  async makesClips(): Promise<boolean> {
    return false;
  }

  async clip(): Promise<never> {
    throw new Error("no clip of the simulation is requested");
  }

  async plan({ distorted }: PairRequest, options: WorkOptions): Promise<PlannedPair> {
    this.#planning(distorted);
    await this.#work(PLAN_MS, options);
    return this.#film.planned;
  }

  async scoreSegment(work: SegmentWork, options: SegmentOptions = {}): Promise<SegmentScored> {
    const scored = this.#film.scored.get(work.segment ?? "");
    const own = this.#film.planned.segments.find(({ segment }) => segment === work.segment);
    if (scored === undefined || own === undefined) throw new Error("the task does not belong to the film");
    const { onFrames = () => {} } = options;
    await this.#work(SEGMENT_MS, options, (share) => onFrames(Math.floor(share * own.count)));
    return scored;
  }

  async stills({ parts }: StillsWork, options: WorkOptions = {}): Promise<readonly Still[]> {
    await this.#work(STILLS_MS, options);
    const image = pictureOf(PICTURE_BYTES);
    const size = { width: PICTURE_SIDE, height: PICTURE_SIDE };
    const sides = ["reference", "distorted"] as const;
    return parts
      .flatMap(({ frames }) => frames)
      .flatMap((frame) => sides.map((side) => ({ frame, side, mediaType: "image/webp", ...size, image })));
  }

  /** Sleeps for about `usualMs`, and reports progress from 0 to 1. */
  async #work(usualMs: number, { signal }: WorkOptions, onProgress: (share: number) => void = () => {}) {
    const ms = usualMs * (1 + SPREAD * (2 * Math.random() - 1));
    const until = performance.now() + ms;
    this.busy++;
    try {
      for (let left = ms; left > 0; left = until - performance.now()) {
        onProgress(1 - left / ms);
        await sleep(Math.min(left, PROGRESS_MS), undefined, signal && { signal });
      }
      onProgress(1);
    } finally {
      this.busy--;
    }
  }
}
