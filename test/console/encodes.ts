/** Ladders of real encodes, scored by a real controller. */
import assert from "node:assert/strict";
import { encode, type Scene } from "../media/clips.ts";
import type { MediaDirectory } from "../media/directory.ts";
import type { Job, JobsClient } from "../server/jobs-client.ts";

export interface Encode {
  readonly id: string;
  /** Bits per second. */
  readonly rate: number;
  readonly score: number;
  readonly bytes: number;
}

interface Encoding {
  readonly directory: MediaDirectory;
  readonly jobs: JobsClient;
  readonly reference: string;
  readonly scene: Partial<Scene>;
  /** Of x264; the jobs are called by it and the quality: "medium 30". */
  readonly preset: string;
  readonly crfs: readonly number[];
}

/** A scored encode for each quality, in their order. */
export async function ladderOf(encoding: Encoding): Promise<readonly Encode[]> {
  const { directory, jobs, reference, scene, preset, crfs } = encoding;
  const ids: string[] = [];
  for (const crf of crfs) {
    const options = ["-c:v", "libx264", "-preset", preset, "-crf", String(crf), "-threads", "1"];
    const distorted = await encode(directory, `${preset}-${crf}.mp4`, scene, options);
    const spec = { reference, distorted, name: `${preset} ${crf}`, features: ["psnr", "ssim"] };
    ids.push((await jobs.submit(spec)).body.id);
  }
  return Promise.all(ids.map(async (id) => encodeOf(await jobs.until(id, "SUCCEEDED"))));
}

function encodeOf({ id, result }: Job): Encode {
  assert.ok(result);
  const { distorted } = result as unknown as {
    readonly distorted: { readonly bitRate: number; readonly bytes: number };
  };
  return { id, rate: distorted.bitRate, bytes: distorted.bytes, score: result.score };
}

/** The values of every frame, as the interface tells them. */
export async function valuesOf(jobs: JobsClient, id: string): Promise<number[]> {
  const path = `/v1/jobs/${id}/frames`;
  const { body } = await jobs.call<{ frames: readonly { readonly metrics: { readonly vmaf: number } }[] }>(
    "getJobFrames",
    path,
  );
  return body.frames.map(({ metrics }) => metrics.vmaf);
}
