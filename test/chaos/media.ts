/**
 * The media of a chaos run: pairs whose results differ in every digit, invalid pairs, and the expected result of each.
 */
import { writeFile } from "node:fs/promises";
import { fromJsonString } from "@bufbuild/protobuf";
import { type ScoreResult, ScoreResultSchema } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import type { MediaDirectory } from "../media/directory.ts";
import { svc } from "./program.ts";

/** Four segments of a second, large enough that a scorer runs long enough to be hit. */
const FILM = { ...SCENE, width: 480, height: 270, frames: 100 };
/** A key frame every second, so that the video can be cut into segments of a second. */
const CUTTABLE = ["-g", "25", "-x264-params", "scenecut=0"];
const SEEDS = [11, 23, 47];

export interface GoodPair {
  readonly reference: string;
  readonly distorted: string;
  /** Output of `svc score --json --frames` on an undisturbed machine. */
  readonly truth: ScoreResult;
}

export interface FaultyPair {
  readonly reference: string;
  readonly distorted: string;
  readonly code: string;
}

export interface ChaosMedia {
  readonly good: readonly GoodPair[];
  readonly faulty: readonly FaultyPair[];
}

export async function makeMedia(directory: MediaDirectory): Promise<ChaosMedia> {
  const good: GoodPair[] = [];
  for (const seed of SEEDS) {
    const scene = { ...FILM, seed };
    const reference = await pristine(directory, `reference-${seed}.y4m`, scene);
    const distorted = await encode(directory, `distorted-${seed}.mp4`, scene, [...LOSSY.h264, ...CUTTABLE]);
    good.push({ reference, distorted, truth: await truthOf(reference, distorted) });
  }
  return { good, faulty: await makeFaulty(directory, good) };
}

async function truthOf(reference: string, distorted: string): Promise<ScoreResult> {
  const { code, stdout, stderr } = await svc(["score", reference, distorted, "--json", "--frames"]);
  if (code !== 0) throw new Error(`the undisturbed run failed (${code}): ${stderr}`);
  return fromJsonString(ScoreResultSchema, stdout);
}

async function makeFaulty(directory: MediaDirectory, good: readonly GoodPair[]): Promise<FaultyPair[]> {
  const [first] = good;
  if (first === undefined) throw new Error("no good pair");
  const { reference } = first;
  const text = directory.file("text.mp4");
  await writeFile(text, "no video at all\n".repeat(100));
  const shorter = { ...FILM, seed: 11, frames: 60 };
  const short = await encode(directory, "short.mp4", shorter, LOSSY.h264);
  return [
    { reference, distorted: directory.file("absent.mp4"), code: "MEDIA_NOT_FOUND" },
    { reference, distorted: text, code: "MEDIA_UNSUPPORTED" },
    { reference, distorted: short, code: "FRAME_COUNT_MISMATCH" },
  ];
}
