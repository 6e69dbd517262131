/** `svc up` with tasks of one second, and pairs to score. */
import assert from "node:assert/strict";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { svc } from "../server/svc-process.ts";

/** Three seconds, so that --segment-seconds 1 makes several tasks. */
const SCENE = { width: 160, height: 90, frames: 75 };

export interface Up extends AsyncDisposable {
  readonly clips: Clips;
  /** A pair of three seconds. */
  readonly pair: { readonly reference: string; readonly distorted: string };
  readonly up: ControllerProcess;
  readonly jobs: JobsClient;
  /** Output of `svc score --json` for the pair. */
  readonly scoredHere: (...flags: readonly string[]) => Promise<ReturnType<typeof JSON.parse>>;
}

export async function openUp(): Promise<Up> {
  const clips = await makeClips();
  const pair = {
    reference: await pristine(clips.directory, "three-seconds.y4m", SCENE),
    distorted: await encode(clips.directory, "three-seconds.mp4", SCENE, LOSSY.h264),
  };
  const up = await ControllerProcess.up({
    dataDir: clips.directory.file("data"),
    args: ["--segment-seconds", "1"],
  });
  return {
    ...{ clips, pair, up, jobs: await JobsClient.of(up) },
    scoredHere: async (...flags) => {
      const { stdout, stderr } = await svc(["score", pair.reference, pair.distorted, "--json", ...flags]);
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout);
    },
    async [Symbol.asyncDispose]() {
      await up[Symbol.asyncDispose]();
      await clips[Symbol.asyncDispose]();
    },
  };
}
