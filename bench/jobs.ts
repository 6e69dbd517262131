/**
 * The cost and gain of the controller and its nodes: a film scored by them compared with the bare scorer, the time from
 * a submission to its first programs, and two nodes compared with one. Run with `npm run bench:jobs --
 * [pair|queue|latency|nodes] [SECONDS|CLIPS]`; docs/performance.md has the results of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FindingsPolicy_Action } from "../src/gen/proto/svc/v1/scoring_pb.ts";
import type { Pair } from "./client.ts";
import { percentile } from "./flight.ts";
import { type Contender, interleave, median, milliseconds, printCpu, printTimings } from "./interleave.ts";
import { makePair, makeSmallPair, runBareScorer } from "./media.ts";
import { type Observation, observations } from "./observer.ts";
import { System } from "./system.ts";

const PARTS = { pair: benchPair, queue: benchQueue, latency: benchLatency, nodes: benchNodes };
const THREADS = availableParallelism();
const ROUNDS = 5;
/** Length of the pair that is scored on all cores; the second argument, in seconds. */
const PAIR_SECONDS = Number(process.argv[3] ?? 20);
/** Number of clips in a queue, an even number; the second argument as well. */
const CLIPS = Number(process.argv[3] ?? 200);
const SUBMISSIONS = 300;
/** Warm-up submissions that are not counted. */
const WARM_UP = 30;
/**
 * Maximum random pause before each submission, in milliseconds, so that it hits the system at any point of its waits.
 */
const QUIET_MS = 150;

const asked = process.argv[2];
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${THREADS} threads`);
  for (const [name, part] of Object.entries(PARTS)) {
    if (asked === undefined || asked === name) await part();
  }
} finally {
  await rm(directory, { recursive: true });
}

/** Compares a film scored by controller and node with the bare command, on all cores. */
async function benchPair(): Promise<void> {
  await makePair(directory, "1920x1080", PAIR_SECONDS);
  const pair = pairIn("reference.mp4", "distorted.mp4");
  await using one = await System.start(directory, "one-slot", [{}]);
  await using two = await System.start(directory, "two-slots", [{ slots: 2 }]);
  const timings = await interleave(
    [
      { name: "bare ffmpeg + libvmaf", run: () => runBareScorer(directory, THREADS) },
      { name: "a node with one slot", run: () => one.client.score(pair) },
      { name: "a node with two slots", run: () => two.client.score(pair) },
    ],
    ROUNDS,
  );
  printTimings(`A 1080p pair of ${PAIR_SECONDS} s, compressed input, on all cores`, timings);
}

/** Compares a queue of short clips in `svc up` with two slots with bare commands, two at a time. */
async function benchQueue(): Promise<void> {
  await makePair(directory, "640x360", 2);
  const pair = pairIn("reference.mp4", "distorted.mp4");
  await using system = await System.startUp(directory, "queue", 2);
  const queue = (name: string, findings: FindingsPolicy_Action): Contender => ({
    name,
    pid: system.controller.pid,
    run: async () => {
      const clip = { ...pair, findings: { action: findings } };
      await Promise.all(Array.from({ length: CLIPS }, () => system.client.score(clip)));
    },
  });
  const bare = async (): Promise<void> => {
    for (let clip = 0; clip < CLIPS / 2; clip++) await runBareScorer(directory, 1);
  };
  const timings = await interleave(
    [
      { name: "bare ffmpeg + libvmaf", run: async () => void (await Promise.all([bare(), bare()])) },
      queue("svc up with two slots", FindingsPolicy_Action.REFUSE),
      queue("the same, without a look", FindingsPolicy_Action.IGNORE),
    ],
    3,
  );
  printTimings(`${CLIPS} pairs of 360p and 2 s`, timings);
  printCpu("CPU", timings);
}

/** Measures the time from a SubmitJob call to the start of programs on the node, one job at a time. */
async function benchLatency(): Promise<void> {
  const [reference, distorted] = await makeSmallPair(directory, 10);
  const pair = pairIn(reference, distorted);
  const observed = join(directory, "programs.jsonl");
  await using system = await System.start(directory, "latency", [{ observed }]);
  const submitted: number[] = [];
  for (let round = 0; round < WARM_UP + SUBMISSIONS; round++) {
    await sleep(Math.random() * QUIET_MS);
    submitted.push(performance.timeOrigin + performance.now());
    await system.client.score(pair);
  }
  const programs = (await observations(observed)).filter((seen) => seen.kind === "program");
  console.log(`\nFrom SubmitJob to programs on the node, ${SUBMISSIONS} submissions, one at a time`);
  printDelays("first program", submitted, programs);
  printDelays(
    "first scoring program",
    submitted,
    programs.filter(({ scores }) => scores),
  );
}

function printDelays(
  name: string,
  submitted: readonly number[],
  programs: readonly Extract<Observation, { kind: "program" }>[],
): void {
  const delays = submitted.slice(WARM_UP).map((at) => {
    const first = programs.find((program) => program.at > at);
    if (first === undefined) throw new Error("a job started no program");
    return first.at - at;
  });
  const [middle, high, worst] = [median(delays), percentile(delays, 0.99), Math.max(...delays)];
  console.log(
    `  ${name.padEnd(24)} median ${milliseconds(middle)}   p99 ${milliseconds(high)}   max ${milliseconds(worst)}`,
  );
}

/** Compares nodes of one slot and one thread, each pinned to its own core, like machines with one core. */
async function benchNodes(): Promise<void> {
  await makePair(directory, "640x360", 80);
  const pair = pairIn("reference.mp4", "distorted.mp4");
  const node = (core: number) => ({ slots: 1, threads: 1, core });
  await using one = await System.start(directory, "one-node", [node(0)]);
  await using two = await System.start(directory, "two-nodes", [node(0), node(1)]);
  const timings = await interleave(
    [
      { name: "one node", run: () => one.client.score(pair) },
      { name: "two nodes", run: () => two.client.score(pair) },
    ],
    ROUNDS,
  );
  printTimings("A 360p pair of 80 s, nodes with one thread and one core each", timings);
}

function pairIn(reference: string, distorted: string): Pair {
  return { reference: join(directory, reference), distorted: join(directory, distorted) };
}
