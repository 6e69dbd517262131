/**
 * Moves stills, clips and per-frame scores between the database and the results storage, and deletes objects that no row refers to. Every
 * step can end at any point, and any number of processes can run it: the store gives each row to one of them.
 */
import { createHash, randomUUID } from "node:crypto";
import type { ResultObjects } from "../../media/results/objects.ts";
import { Failure } from "../../platform/failure.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import {
  type ClipKey,
  type MovedClip,
  type MovedScores,
  type MovedStill,
  OBJECT_PART_BYTES,
  type ResultStore,
  type UnmovedClip,
  type UnmovedScores,
  type UnmovedStill,
} from "../../store/contract/result-store.ts";
import type { ResultKind, ResultMetrics } from "./metrics.ts";
import type { ResultReader } from "./reader.ts";
import { scoresOf } from "./scores.ts";

/** Stills that are moved in one step, of up to 3 MiB each. */
const STILLS = 4;
/** Clips that are moved in one step, of up to 24 MiB each. */
const CLIPS = 2;
/** Objects of scores that are moved in one step, of up to 8 MiB each. */
const SCORES = 2;
/**
 * Milliseconds after which a row can be taken again if its move failed or its process was killed. A move that
 * takes longer may be made twice; one of the two objects is then deleted.
 */
const HOLD_MS = 30_000;
/** Key of an object that never exists. */
const PROBE = "probe";
/** Objects that are deleted in one step. */
const UNREFERENCED = 32;

export interface MoverOptions {
  readonly store: { readonly results: ResultStore } & Pick<JobStore, "clipPiece">;
  readonly objects: ResultObjects;
  readonly reader: ResultReader;
  readonly metrics: ResultMetrics;
  /** Milliseconds from the end of a job until its scores are moved to the storage. */
  readonly scoresAfterMs: number;
}

export class ResultMover {
  readonly #options: MoverOptions;

  constructor(options: MoverOptions) {
    this.#options = options;
  }

  /**
   * Moves some stills, clips and scores to where results belong. Returns their number. If the storage fails for some,
   * the others are moved, and the first failure is thrown; failed moves are retried after some minutes.
   */
  async move(): Promise<number> {
    const { store, metrics, scoresAfterMs } = this.#options;
    const { results } = store;
    const [stills, clips, scores] = [
      await results.takeStills(STILLS, HOLD_MS),
      await results.takeClips(CLIPS, HOLD_MS),
      await results.takeScores(SCORES, HOLD_MS, scoresAfterMs),
    ];
    const [backStills, backClips, backScores] = [
      await results.takeMovedStills(STILLS, HOLD_MS),
      await results.takeMovedClips(CLIPS, HOLD_MS),
      await results.takeMovedScores(SCORES, HOLD_MS),
    ];
    const moves = [
      ...stills.map((still) => this.#storeStill(still)),
      ...clips.map((clip) => this.#storeClip(clip)),
      ...scores.map((one) => this.#storeScores(one)),
      ...backStills.map((still) => this.#restoreStill(still)),
      ...backClips.map((clip) => this.#restoreClip(clip)),
      ...backScores.map((one) => this.#restoreScores(one)),
    ];
    const moved = await settled(moves);
    if (moved === 0 && !metrics.isUp) await this.#probe();
    return moved;
  }

  /**
   * Checks whether the storage works again, which would go unnoticed while there is nothing to move or read.
   */
  async #probe(): Promise<void> {
    const { objects, metrics } = this.#options;
    await this.#asked("delete", () => objects.delete(PROBE));
    metrics.answered();
  }

  /** Deletes some objects that no row refers to. Returns their number. Throws the first failure of the storage. */
  async deleteUnreferenced(): Promise<number> {
    const { objects, metrics, store } = this.#options;
    const unreferenced = await store.results.takeUnreferenced(UNREFERENCED, HOLD_MS);
    const remove = async ({ id, key }: { readonly id: string; readonly key: string }) => {
      await this.#asked("delete", () => objects.delete(key));
      metrics.answered();
      await store.results.forget([id]);
    };
    return settled(unreferenced.map(remove));
  }

  async #storeStill(still: UnmovedStill): Promise<void> {
    const { results } = this.#options.store;
    const id = await this.#write(still, "still", still.image);
    if (await results.linkStill(id, still)) this.#options.metrics.movedOne("still", "storage");
  }

  async #storeClip(clip: UnmovedClip): Promise<void> {
    const { results } = this.#options.store;
    const video = await this.#videoOf(clip);
    // The clip was deleted or made again.
    if (video === undefined) return;
    const id = await this.#write(clip, "clip", video);
    if (await results.linkClip(id, clip)) this.#options.metrics.movedOne("clip", "storage");
  }

  async #storeScores(scores: UnmovedScores): Promise<void> {
    const { results } = this.#options.store;
    const id = await this.#write(scores, "scores", Buffer.concat(scores.chunks.map(({ rows }) => rows)));
    if (await results.linkScores(id, scores)) this.#options.metrics.movedOne("scores", "storage");
  }

  /** Writes an object. The store knows it before it exists, so it is found and deleted if nothing refers to it. */
  async #write({ tenant, jobId }: Omit<ClipKey, "frame">, kind: ResultKind, content: Uint8Array) {
    const { store, objects, metrics } = this.#options;
    const id = randomUUID();
    const key = `${encodeURIComponent(tenant)}/${jobId}/${kind}/${id}`;
    const object = { id, tenant, key, bytes: content.length, digests: digestsOf(content) };
    await store.results.reserve(object);
    await this.#asked("put", () => objects.put(key, content));
    metrics.answered();
    return id;
  }

  async #videoOf({ tenant, jobId, frame, madeBy, bytes }: UnmovedClip): Promise<Buffer | undefined> {
    const pieces: Uint8Array[] = [];
    for (let number = 0; number * OBJECT_PART_BYTES < bytes; number++) {
      const piece = await this.#options.store.clipPiece(tenant, jobId, { frame, madeBy }, number);
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  async #restoreStill(still: MovedStill): Promise<void> {
    const { store, reader, metrics } = this.#options;
    await store.results.restoreStill(still, await reader.read(still.object, nameOf(still, "still")));
    metrics.movedOne("still", "database");
  }

  async #restoreClip(clip: MovedClip): Promise<void> {
    const { store, reader, metrics } = this.#options;
    await store.results.restoreClip(clip, partsOf(await reader.read(clip.object, nameOf(clip, "clip"))));
    metrics.movedOne("clip", "database");
  }

  async #restoreScores(scores: MovedScores): Promise<void> {
    const { store, reader, metrics } = this.#options;
    const content = await reader.read(scores.object, scoresOf(scores.jobId));
    await store.results.restoreScores(scores, content);
    metrics.movedOne("scores", "database");
  }

  async #asked<T>(operation: "put" | "delete", ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      this.#options.metrics.failed(operation);
      throw new Failure("STORAGE_UNAVAILABLE", `The results storage cannot be used: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
  }
}

/** Waits for all promises. Returns their number, or throws the first failure. */
async function settled(all: readonly Promise<void>[]): Promise<number> {
  const outcomes = await Promise.allSettled(all);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return outcomes.length;
}

function partsOf(content: Buffer): readonly Buffer[] {
  const count = Math.ceil(content.length / OBJECT_PART_BYTES);
  return Array.from({ length: count }, (_, number) =>
    content.subarray(number * OBJECT_PART_BYTES, (number + 1) * OBJECT_PART_BYTES),
  );
}

/** Returns the SHA-256 of each part, concatenated. */
function digestsOf(content: Uint8Array): Buffer {
  const parts = partsOf(Buffer.from(content.buffer, content.byteOffset, content.length));
  return Buffer.concat(parts.map((part) => createHash("sha256").update(part).digest()));
}

function nameOf({ jobId, frame }: ClipKey, kind: "still" | "clip"): string {
  return `${kind} of frame ${frame} of job ${jobId}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
}
