/** A REST client for stills that compares them with decoded frames. */
import assert from "node:assert/strict";
import { picture } from "../media/picture.ts";
import type { Planes } from "../media/truth.ts";
import { until } from "../waiting.ts";
import type { JobsClient } from "./jobs-client.ts";
import type { Problem, Result } from "./rest-client.ts";

interface Still {
  readonly frame: number;
  readonly side: "REFERENCE" | "DISTORTED";
  readonly state: string;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly error?: { readonly code: string };
}

interface StillList {
  readonly stills: readonly Still[];
}

/** The frames of both sides of a job, 160x90. */
export type SidePlanes = Readonly<Record<Still["side"], Planes>>;

/** Two seconds at 25 frames per second. */
const APART = 50;

/** The worst frames at least two seconds apart by the scores of the service, in frame order. */
export function worstOf(frames: Result["frames"], count: number): number[] {
  const left = new Map(frames.map(({ frame, metrics }) => [frame, metrics["vmaf"] ?? Number.NaN]));
  const worst: number[] = [];
  while (left.size > 0 && worst.length < count) {
    const [frame] = [...left].reduce((low, one) => (one[1] < low[1] ? one : low));
    worst.push(frame);
    for (const near of left.keys()) if (Math.abs(near - frame) < APART) left.delete(near);
  }
  return worst.sort((a, b) => a - b);
}

export class StillsClient {
  readonly #server: { readonly rest: string };
  readonly #jobs: JobsClient;
  readonly #planes: SidePlanes;

  constructor(server: { readonly rest: string }, jobs: JobsClient, planes: SidePlanes) {
    this.#server = server;
    this.#jobs = jobs;
    this.#planes = planes;
  }

  async list(id: string): Promise<readonly Still[]> {
    return (await this.#jobs.call<StillList>("listStills", `/v1/jobs/${id}/stills`)).body.stills;
  }

  ask(id: string, frames: readonly unknown[]) {
    return this.#jobs.post<StillList>("requestStills", `/v1/jobs/${id}/stills`, { frames });
  }

  delete(id: string, frame: number | string) {
    const init = { method: "DELETE" };
    return this.#jobs.call<StillList>("deleteStill", `/v1/jobs/${id}/stills/${frame}`, init);
  }

  /** Waits until no more stills are pending. */
  async settled(id: string): Promise<readonly Still[]> {
    let stills: readonly Still[] = [];
    await until(async () => {
      stills = await this.list(id);
      return stills.every(({ state }) => state !== "PENDING");
    }, "the stills");
    return stills;
  }

  async refused(id: string, place: string): Promise<string> {
    const answer = await this.#jobs.call<Problem>("getStill", `/v1/jobs/${id}/stills/${place}`);
    return `${answer.status} ${answer.body.code}`;
  }

  /** Checks that each is exactly the image of its frame. */
  async exact(id: string, stills: readonly Still[]): Promise<void> {
    for (const still of stills) {
      const { frame, side, state, mediaType, width, height, bytes } = still;
      assert.deepEqual([state, mediaType, width, height], ["READY", "image/webp", 160, 90]);
      const response = await fetch(
        `${this.#server.rest}/v1/jobs/${id}/stills/${frame}/${side.toLowerCase()}`,
      );
      const image = Buffer.from(await response.arrayBuffer());
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "image/webp");
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      assert.match(response.headers.get("cache-control") ?? "", /^private, max-age=\d+, immutable$/);
      assert.equal(response.headers.get("vary"), "authorization");
      assert.equal(image.length, bytes);
      assert.ok(
        (await picture(this.#planes[side], frame)).equals(image),
        `frame ${frame} ${side} is another image`,
      );
    }
  }
}
