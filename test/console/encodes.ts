/** Ladders of real encodes, scored by a real controller. */
import assert from "node:assert/strict";
import { encode, type Scene } from "../media/clips.ts";
import type { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import type { Job, JobsClient } from "../server/jobs-client.ts";

export interface Encode {
  readonly id: string;
  /** Bits per second of the video. */
  readonly rate: number;
  readonly score: number;
  readonly bytes: number;
}

interface Encoding {
  readonly directory: MediaDirectory;
  readonly jobs: JobsClient;
  readonly reference: string;
  readonly scene: Partial<Scene>;
  /** x264 preset. Jobs are named after it and the CRF: "medium 30". */
  readonly preset: string;
  readonly crfs: readonly number[];
  /** The same encodes with an audio track, named "sound medium 30". */
  readonly hasSound?: boolean;
}

/** One scored encode per CRF, in their order. */
export async function ladderOf(encoding: Encoding): Promise<readonly Encode[]> {
  const { directory, jobs, reference, scene, preset, crfs, hasSound = false } = encoding;
  const ids: string[] = [];
  for (const crf of crfs) {
    const options = ["-c:v", "libx264", "-preset", preset, "-crf", String(crf), "-threads", "1"];
    const silent = await encode(directory, `${preset}-${crf}.mp4`, scene, options);
    const distorted = hasSound ? await withSound(silent, scene) : silent;
    const name = `${hasSound ? "sound " : ""}${preset} ${crf}`;
    const spec = { reference, distorted, name, features: ["psnr", "ssim"] };
    ids.push((await jobs.submit(spec)).body.id);
  }
  return Promise.all(ids.map(async (id) => encodeOf(await jobs.until(id, "SUCCEEDED"))));
}

/** The same video, packet for packet, with a tone added. */
async function withSound(silent: string, { frames = 0 }: Partial<Scene>): Promise<string> {
  const path = silent.replace(/\.mp4$/, "-sound.mp4");
  const tone = ["-f", "lavfi", "-i", `sine=frequency=440:duration=${frames / 25}`];
  await ffmpeg(["-i", silent, ...tone, "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac", path]);
  return path;
}

function encodeOf({ id, result }: Job): Encode {
  assert.ok(result);
  const { distorted } = result as unknown as {
    readonly distorted: { readonly videoBitRate: number; readonly bytes: number };
  };
  return { id, rate: distorted.videoBitRate, bytes: distorted.bytes, score: result.score };
}

/** The per-frame scores from the API. */
export async function valuesOf(jobs: JobsClient, id: string): Promise<number[]> {
  const path = `/v1/jobs/${id}/frames`;
  const { body } = await jobs.call<{ frames: readonly { readonly metrics: { readonly vmaf: number } }[] }>(
    "getJobFrames",
    path,
  );
  return body.frames.map(({ metrics }) => metrics.vmaf);
}
