/**
 * The overhead around the scorer. Run with `npm run bench:score`; docs/performance.md has the results of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { pairRequest } from "../src/engine/contract/request.ts";
import { openEngine } from "../src/engine/open.ts";
import type { Pair } from "./client.ts";
import { interleave, median, milliseconds, printTimings } from "./interleave.ts";
import { makePair, makeSmallPair, runBareScorer } from "./media.ts";
import { SvcProcess } from "./process.ts";

const THREADS = availableParallelism();
const SECONDS = Number(process.argv[2] ?? 20);
const ROUNDS = Number(process.argv[3] ?? 5);
/** Segment length in the service: ten seconds. */
const SEGMENT_FRAMES = 250;
/** One hour at 30 frames per second. */
const LONG_FRAMES = 108_000;

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(
    `${cpus()[0]?.model ?? "unknown CPU"}, ${THREADS} threads; 1080p, ${SECONDS} s, ${ROUNDS} rounds`,
  );
  await makePair(directory, "1920x1080", SECONDS);
  await benchEngine();
  await benchServer();
  await benchMemory();
} finally {
  await rm(directory, { recursive: true });
}

/** Compares the engine with the bare command: same executable, files, model and threads. */
async function benchEngine(): Promise<void> {
  const engine = await openEngine({ threads: THREADS });
  const request = pairRequest({
    reference: join(directory, "reference.mp4"),
    distorted: join(directory, "distorted.mp4"),
  });
  const timings = await interleave(
    [
      { name: "bare ffmpeg + libvmaf", run: () => runBareScorer(directory, THREADS) },
      {
        name: "engine, whole",
        run: async () => {
          await engine.score(request);
        },
      },
      {
        name: "engine, 10 s segments",
        run: async () => {
          const { cutting } = await engine.score(request, { segmentFrames: SEGMENT_FRAMES });
          if (cutting.segments < 2) throw new Error(`not cut: ${cutting.whole}`);
        },
      },
    ],
    ROUNDS,
  );
  printTimings("A 1080p pair, compressed input", timings);
}

/** Measures the overhead of REST: the client's wall-clock time minus the duration in the result. */
async function benchServer(): Promise<void> {
  const starts: number[] = [];
  for (let round = 0; round < 7; round++) {
    await using server = await startServer();
    starts.push(server.readyMs);
  }
  console.log(
    `\nsvc server\n  start to ready               median ${milliseconds(median(starts))}   (max ${milliseconds(Math.max(...starts))})`,
  );
  const pair = await smallPair(25);
  await using server = await startServer();
  const added: number[] = [];
  for (let round = 0; round < 40; round++) {
    const started = performance.now();
    const { durationMs } = await score(server.rest, pair);
    if (round >= 5) added.push(performance.now() - started - durationMs);
  }
  console.log(
    `  REST overhead per score      median ${milliseconds(median(added))}   (max ${milliseconds(Math.max(...added))})`,
  );
}

function startServer(): Promise<SvcProcess> {
  return SvcProcess.start(["server", "--port", "0", "--grpc-port", "0"]);
}

/** Measures the server's peak resident memory when it scores a long film and sends every frame. */
async function benchMemory(): Promise<void> {
  await using server = await startServer();
  await score(server.rest, await smallPair(25));
  const before = await server.peakMemory();
  const pair = await smallPair(LONG_FRAMES);
  const { frameCount } = await score(server.rest, { ...pair, frames: true });
  const after = await server.peakMemory();
  console.log(
    `  peak resident memory         ${before.toFixed(0)} MB after a short score, ${after.toFixed(0)} MB after ${frameCount} frames, all sent`,
  );
}

async function smallPair(frames: number): Promise<Pair> {
  const [reference, distorted] = await makeSmallPair(directory, frames);
  return { reference: join(directory, reference), distorted: join(directory, distorted) };
}

interface Answer {
  readonly durationMs: number;
  readonly frameCount: number;
}

/** Sends a score request and reads the whole response. */
async function score(base: string, body: object): Promise<Answer> {
  const response = await fetch(`${base}/v1/score`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  let text = "";
  for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString("latin1");
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 300)}`);
  const number = (field: string) => Number(new RegExp(`"${field}":\\s*([\\d.]+)`).exec(text)?.[1]);
  return { durationMs: number("durationMs"), frameCount: number("frameCount") };
}
