/** An engine that sleeps where another one scores, and gives a film's plan and values. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PairRequest } from "../../src/engine/request.ts";
import type {
  ModelId,
  PlannedPair,
  SegmentOptions,
  SegmentScored,
  SegmentWork,
  Still,
  StillsWork,
  WorkEngine,
  WorkOptions,
} from "../../src/engine/work.ts";
import type { Film } from "../film.ts";
import { JOB, JOB_SECONDS } from "../formulas.ts";
import { PICTURE_SIDE, pictureOf } from "../picture.ts";

const PLAN_MS = 4_000;
const STILLS_MS = 4_000;
const SEGMENT_MS = (JOB_SECONDS * 1_000 - PLAN_MS - STILLS_MS) / JOB.segments;
/** A piece takes up to this share more or less, so that pieces that began together do not end together. */
const SPREAD = 0.3;
/** As often as a scorer tells how far it is. */
const PROGRESS_MS = 500;
/** The pictures' own bytes are not what is measured. */
const PICTURE_BYTES = 100;

export class SleepingEngine implements WorkEngine {
  /** Nodes that are at work now. */
  busy = 0;
  readonly #film: Film;
  readonly #planning: (distorted: string) => void;

  /** `planning`: told of a pair when a node begins to plan it. */
  constructor(film: Film, planning: (distorted: string) => void) {
    this.#film = film;
    this.#planning = planning;
  }

  get scorer() {
    return this.#film.scorer;
  }

  async modelIds(): Promise<readonly ModelId[]> {
    return this.#film.planned.models;
  }

  async makesStills(): Promise<boolean> {
    return true;
  }

  async plan({ distorted }: PairRequest, options: WorkOptions): Promise<PlannedPair> {
    this.#planning(distorted);
    await this.#work(PLAN_MS, options);
    return this.#film.planned;
  }

  async scoreSegment(work: SegmentWork, options: SegmentOptions = {}): Promise<SegmentScored> {
    const scored = this.#film.scored.get(work.segment ?? "");
    const own = this.#film.planned.segments.find(({ segment }) => segment === work.segment);
    if (scored === undefined || own === undefined) throw new Error("the work is none of the film's");
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

  /** Sleeps for about as long, and tells how far it is: 0 to 1. */
  async #work(usualMs: number, { signal }: WorkOptions, told: (share: number) => void = () => {}) {
    const ms = usualMs * (1 + SPREAD * (2 * Math.random() - 1));
    const until = performance.now() + ms;
    this.busy++;
    try {
      for (let left = ms; left > 0; left = until - performance.now()) {
        told(1 - left / ms);
        await sleep(Math.min(left, PROGRESS_MS), undefined, signal && { signal });
      }
      told(1);
    } finally {
      this.busy--;
    }
  }
}
