/**
 * How long an answer from an earlier result takes, and how much of a film is scored after one group of pictures changed.
 * Run with `npm run bench:reuse -- [clip|film] [HOURS]`; docs/performance.md has the results of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileIdentity } from "../src/engine/files/identity.ts";
import { Job_State } from "../src/gen/proto/svc/v1/job_pb.ts";
import type { Client, Pair } from "./client.ts";
import { percentile } from "./flight.ts";
import { cpuTime, median, milliseconds } from "./interleave.ts";
import { makeFilms, makePair } from "./media.ts";
import { System } from "./system.ts";

const PARTS = { clip: benchClip, film: benchFilm };
/** Length of the film; the second argument. */
const HOURS = Number(process.argv[3] ?? 1);
/** Length of the clip in seconds. */
const CLIP_SECONDS = 10;
const SUBMISSIONS = 200;
/** Of the film: each copies its scores. */
const FILM_SUBMISSIONS = 40;

const asked = process.argv[2];
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} threads`);
  for (const [name, part] of Object.entries(PARTS)) {
    if (asked === undefined || asked === name) await part();
  }
} finally {
  await rm(directory, { recursive: true });
}

async function benchClip(): Promise<void> {
  await makePair(directory, "640x360", CLIP_SECONDS);
  await using system = await System.startUp(directory, "clip", 1);
  const pair = pairIn("reference.mp4", "distorted.mp4");
  await benchAnswers(system, `A clip of ${CLIP_SECONDS} s, 360p`, pair, SUBMISSIONS);
}

async function benchFilm(): Promise<void> {
  const [reference, film, changed] = await makeFilms(directory, HOURS);
  await using system = await System.startUp(directory, "film", 1);
  await benchAnswers(system, `A film of ${HOURS} h`, pairIn(reference, film), FILM_SUBMISSIONS);
  await benchChange(system, pairIn(reference, changed));
}

function pairIn(reference: string, distorted: string): Pair {
  return { reference: join(directory, reference), distorted: join(directory, distorted) };
}

/** Scores a pair once, and then measures the answers to the same submission, one at a time. */
async function benchAnswers(system: System, title: string, pair: Pair, count: number): Promise<void> {
  const { client } = system;
  await untilKnown(pair);
  const started = performance.now();
  const { id } = await client.submitted(pair);
  await client.succeeded(id);
  const scoredMs = performance.now() - started;
  const first = await client.job(id);
  const tasks = await tasksOf(system);
  const cpu = await cpuTime(system.controller.pid);
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    const at = performance.now();
    const { id: again, state } = await client.submitted(pair);
    const job = await client.job(again);
    times.push(performance.now() - at);
    if (state !== Job_State.SUCCEEDED || !isSame(job, first))
      throw new Error(`job ${again} was not answered`);
  }
  console.log(`\n${title}, scored in ${milliseconds(scoredMs)}: ${count} identical submissions`);
  console.log(`  submitted, answered and read  median ${milliseconds(median(times))}`);
  console.log(
    `  95th percentile ${milliseconds(percentile(times, 0.95))}, longest ${milliseconds(Math.max(...times))}`,
  );
  const each = ((await cpuTime(system.controller.pid)) - cpu) / count;
  console.log(`  CPU time of svc up per submission ${milliseconds(each)}`);
  console.log(`  tasks given to nodes ${(await tasksOf(system)) - tasks}`);
}

type Read = Awaited<ReturnType<Client["job"]>>;

function isSame({ result }: Read, { result: first }: Read): boolean {
  return (
    JSON.stringify(result?.pooled) === JSON.stringify(first?.pooled) &&
    result?.durationMs === first?.durationMs
  );
}

async function benchChange({ client }: System, pair: Pair): Promise<void> {
  await untilKnown(pair);
  const started = performance.now();
  const { id } = await client.submitted(pair);
  await client.succeeded(id);
  const ms = performance.now() - started;
  const { segmentsTotal, reuse } = await client.job(id);
  console.log(`\nThe film with one changed group of pictures, in ${milliseconds(ms)}`);
  console.log(`  segments scored ${segmentsTotal - (reuse?.segments ?? 0)} of ${segmentsTotal}`);
}

/** Waits until the times of both files tell whether they were changed. */
async function untilKnown({ reference, distorted }: Pair): Promise<void> {
  for (const path of [reference, distorted])
    while ((await fileIdentity(path)) === undefined) await sleep(100);
}

/** The number of tasks that nodes got so far. */
async function tasksOf({ controller }: System): Promise<number> {
  const text = await (await fetch(`${controller.addresses.metrics}/metrics`)).text();
  return Number(/^svc_work_claimed_total (\d+)/m.exec(text)?.[1] ?? 0);
}
