/**
 * The speed of the current scorer against its predecessor, and what svc adds to it: whole pairs with decoding, the look
 * at a pair's pictures, and the start of `svc score` for one short clip. Run with
 * `npm run bench:pairs -- [pair|look|clip] [SIZE] [SECONDS] [ROUNDS] [RATE]`; docs/performance.md has the results of one
 * run. RATE is the reference's bit rate, such as 8M; default: a master's. Judge by CPU on a machine that others use.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type PairRequest, pairRequest } from "../src/engine/contract/request.ts";
import { openEngine } from "../src/engine/open.ts";
import { findCandidates } from "../src/engine/programs/candidates.ts";
import { type Contender, interleave, printCpu, printTimings } from "./interleave.ts";
import { makePair, runBareScorer } from "./media.ts";

const SVC = fileURLToPath(new URL("../bin/svc", import.meta.url));
const THREADS = availableParallelism();
const V1 = "vmaf_v1.0.16_3d0h";
/** What `makePair` encodes. */
const RATE = 25;

const [asked, size = "1920x1080", seconds = "20", rounds = "5", rate] = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${THREADS} threads, ${rounds} rounds`);
  if (asked === undefined || asked === "pair") await benchPair();
  if (asked === undefined || asked === "look") await benchLook();
  if (asked === undefined || asked === "clip") await benchClip();
} finally {
  await rm(directory, { recursive: true });
}

/** Makes the pair that was asked for and prints the bit rates of its files. */
async function makeFullPair(): Promise<void> {
  await makePair(directory, size, Number(seconds), rate);
  for (const name of ["reference.mp4", "distorted.mp4"]) {
    const { size: bytes } = await stat(join(directory, name));
    console.log(`${name}: ${((8 * bytes) / Number(seconds) / 1e6).toFixed(1)} Mbit/s`);
  }
}

/** Compares whole pairs: npm's ffmpeg 7.0, the current one bare, and the engine with it. */
async function benchPair(): Promise<void> {
  await makeFullPair();
  const npm = (await findCandidates({})).find(({ origin }) => origin === "npm");
  if (npm === undefined) throw new Error("the ffmpeg of npm is not installed");
  const engine = await openEngine({ threads: THREADS });
  const files = { reference: join(directory, "reference.mp4"), distorted: join(directory, "distorted.mp4") };
  const score = async (model?: string): Promise<void> => {
    await engine.score({ ...pairRequest(files), ...(model !== undefined && { models: [model] }) });
  };
  const segmentFrames = Math.ceil((Number(seconds) * RATE) / 2);
  const timings = await interleave(
    [
      { name: "npm's ffmpeg, v0.6.1", run: () => runBareScorer(directory, THREADS, { program: npm.path }) },
      { name: "current, v0.6.1", run: () => runBareScorer(directory, THREADS) },
      { name: "svc, whole, v0.6.1", run: () => score() },
      {
        name: "svc, in two segments, v0.6.1",
        run: async () => {
          const { cutting } = await engine.score(pairRequest(files), { segmentFrames });
          if (cutting.segments !== 2) throw new Error(`cut into ${cutting.segments}: ${cutting.whole}`);
        },
      },
      {
        name: "current, v1 at 10 bits",
        run: () => runBareScorer(directory, THREADS, { model: V1, format: "yuv420p10le" }),
      },
      { name: "svc, whole, v1", run: () => score(V1) },
    ],
    Number(rounds),
  );
  printTimings(`A pair of ${size}, ${seconds} s`, timings);
  printCpu("CPU", timings);
  printCpu("CPU against the current ffmpeg, v0.6.1", timings.slice(1, 4));
  printCpu("CPU against the current ffmpeg, v1", timings.slice(4));
}

/** Compares scores with and without a look at the pictures of the pair with the bare command. */
async function benchLook(): Promise<void> {
  await makeFullPair();
  const engine = await openEngine({ threads: THREADS });
  const files = { reference: join(directory, "reference.mp4"), distorted: join(directory, "distorted.mp4") };
  const blind = { ...pairRequest(files), findings: { action: "IGNORE" } } as const;
  const scored = (name: string, request: PairRequest, segmentFrames?: number): Contender => ({
    name,
    run: async () => {
      await engine.score(request, segmentFrames === undefined ? {} : { segmentFrames });
    },
  });
  const segmentFrames = Math.ceil((Number(seconds) * RATE) / 2);
  const timings = await interleave(
    [
      { name: "bare ffmpeg + libvmaf", run: () => runBareScorer(directory, THREADS) },
      scored("without a look", blind),
      scored("with a look", pairRequest(files)),
      scored("in two segments, without", blind, segmentFrames),
      scored("in two segments, with", pairRequest(files), segmentFrames),
    ],
    Number(rounds),
  );
  printTimings(`A look at a pair of ${size}, ${seconds} s`, timings);
  printCpu("CPU", timings);
  printCpu("CPU of the look, whole", timings.slice(1, 3));
  printCpu("CPU of the look, in two segments", timings.slice(3));
}

/** Compares `svc score` with the bare command for a clip of two seconds, where starting matters most. */
async function benchClip(): Promise<void> {
  await makePair(directory, "640x360", 2);
  const run = promisify(execFile);
  const scored = (name: string, ...options: readonly string[]): Contender => ({
    name,
    run: async () => {
      await run(SVC, ["score", ...options, "reference.mp4", "distorted.mp4"], { cwd: directory });
    },
  });
  const timings = await interleave(
    [
      { name: "bare ffmpeg + libvmaf", run: () => runBareScorer(directory, THREADS) },
      scored("svc score"),
      scored("svc score, without a look", "--findings", "ignore"),
    ],
    Math.max(15, Number(rounds)),
  );
  printTimings("A clip of 640x360, 2 s", timings);
  printCpu("CPU", timings);
}
