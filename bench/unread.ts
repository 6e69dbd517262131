/**
 * Resident memory of a controller on the embedded database, over rounds of event streams that are opened but never
 * read. Run with `npm run bench:unread`; docs/performance.md has the results of one run.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SvcProcess } from "./process.ts";
import { startController } from "./system.ts";

const JOBS = 4_000;
const BATCH = 500;
const LABELS = 32;
const LABEL_CHARS = 60;
const ROUNDS = 12;
/** Streams over each transport: a tenant may have 100 in total. */
const STREAMS = 50;
/** Long enough for a stream to fill its client's buffers. */
const ROUND_MS = 5_000;
/** Long enough for unused memory to be released. */
const REST_MS = 15_000;

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  await using controller = await startController(["--data-dir", join(directory, "store")]);
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores`);
  for (let jobs = 0; jobs < JOBS; jobs += BATCH) await submit(controller);
  console.log(`  ${JOBS} jobs stored        ${await memoryOf(controller)} MB`);
  for (let round = 1; round <= ROUNDS; round++) {
    const ends = [...openOverRest(controller), ...openOverGrpc(controller)];
    await sleep(ROUND_MS);
    console.log(`  round ${String(round).padStart(2)}                ${await memoryOf(controller)} MB`);
    for (const end of ends) end();
    await sleep(ROUND_MS / 5);
  }
  await sleep(REST_MS);
  console.log(`  ${REST_MS / 1000} s later              ${await memoryOf(controller)} MB`);
} finally {
  await rm(directory, { recursive: true });
}

async function submit({ rest }: SvcProcess): Promise<void> {
  const value = "v".repeat(LABEL_CHARS);
  const labels = Object.fromEntries(Array.from({ length: LABELS }, (_, n) => [`label-${n}`, value]));
  const job = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4", labels };
  const response = await fetch(`${rest}/v1/jobs:batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jobs: Array.from({ length: BATCH }, () => ({ job })) }),
  });
  await response.arrayBuffer();
  if (response.status !== 201) throw new Error(`the response to a batch has status ${response.status}`);
}

/** Opens streams over REST. Returns functions that end them. */
function openOverRest({ rest }: SvcProcess): (() => void)[] {
  return Array.from({ length: STREAMS }, () => {
    const socket = connect(Number(new URL(rest).port), "127.0.0.1");
    socket.pause().on("error", () => {});
    socket.write("GET /v1/jobs:stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return () => socket.destroy();
  });
}

/** Opens streams over gRPC, each on its own connection, whose flow-control window fills up soon. */
function openOverGrpc({ grpc }: SvcProcess): (() => void)[] {
  return Array.from({ length: STREAMS }, () => {
    const session = connectHttp2(`http://${grpc}`);
    session.on("error", () => {});
    const headers = { ":method": "POST", ":path": "/svc.v1.JobService/StreamJobs", te: "trailers" };
    const stream = session.request({ ...headers, "content-type": "application/grpc" });
    // An empty message.
    stream.on("error", () => {}).end(Buffer.alloc(5));
    return () => session.destroy();
  });
}

async function memoryOf({ pid }: SvcProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1]) / 1024);
}
