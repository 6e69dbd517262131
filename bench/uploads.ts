/**
 * Uploads of a large file over connections that are cut ten times, by the command line and by a client of tus: time,
 * memory of both ends, and whether the same bytes arrive. Run with `npm run bench:uploads -- [GB]`; docs/performance.md
 * has the results of one run.
 */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Upload } from "tus-js-client";
import { Cutter } from "../test/server/cutter.ts";
import type { SvcProcess } from "./process.ts";
import { startController } from "./system.ts";

const GB = 1e9;
const MIB = 2 ** 20;
const BYTES = Number(process.argv[2] ?? 5) * GB;
const CUTS = 10;
/** Bytes of a request, as in the console. */
const CHUNK_BYTES = 8 * MIB;
const LOOK_EVERY_MS = 100;
const SVC = fileURLToPath(new URL("../bin/svc", import.meta.url));

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} threads`);
  const file = join(directory, "film.mov");
  const digest = await makeFile(file);
  await bench("svc uploads add", file, digest, byCommand);
  await bench("tus-js-client", file, digest, byTus);
} finally {
  await rm(directory, { recursive: true });
}

/** Returns its SHA-256. */
async function makeFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path, "w");
  for (let left = BYTES; left > 0; left -= 16 * MIB) {
    const data = randomBytes(Math.min(left, 16 * MIB));
    hash.update(data);
    await file.write(data);
  }
  await file.close();
  return hash.digest("hex");
}

interface Sent {
  /** Largest resident memory of the client in MB. */
  readonly clientMb: number;
  readonly cuts: number;
}

type Send = (file: string, controller: SvcProcess) => Promise<Sent>;

async function bench(title: string, file: string, digest: string, send: Send): Promise<void> {
  const uploads = join(directory, "uploads");
  const limits = ["--uploads", uploads, "--tenant-upload-size", "1000"];
  await using controller = await startController(["--data-dir", join(directory, "data"), ...limits]);
  const before = await memoryOf(controller.pid);
  const watching = new AbortController();
  const most = mostMemoryOf(controller.pid, watching.signal);
  const started = performance.now();
  const { clientMb, cuts } = await send(file, controller);
  const seconds = (performance.now() - started) / 1000;
  watching.abort();
  const {
    uploads: [upload],
  } = (await (await fetch(`${controller.rest}/v1/uploads`)).json()) as {
    uploads: { id: string; path: string }[];
  };
  const isSame = upload !== undefined && (await digestOf(upload.path)) === digest;
  console.log(
    `${title}: ${(BYTES / GB).toFixed(1)} GB in ${seconds.toFixed(1)} s (${(BYTES / 1e6 / seconds).toFixed(0)} MB/s), ` +
      `${cuts} cuts, ${isSame ? "the same" : "ANOTHER"} SHA-256; memory of the controller ` +
      `${before.toFixed(0)} MB before, ${(await most).toFixed(0)} MB at most, of the client ${clientMb.toFixed(0)} MB at most`,
  );
  await rm(uploads, { recursive: true });
}

async function byCommand(file: string, { grpc }: SvcProcess): Promise<Sent> {
  await using cutter = await Cutter.open(grpc, CUTS, BYTES / (CUTS + 1));
  const args = ["uploads", "add", "--quiet", file, "--server", cutter.address];
  const child = spawn(SVC, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = new AbortController();
  const most = mostMemoryOf(child.pid ?? 0, ended.signal);
  await once(child, "exit");
  ended.abort();
  return { clientMb: await most, cuts: cutter.cuts };
}

async function byTus(file: string, { rest }: SvcProcess): Promise<Sent> {
  await using cutter = await Cutter.open(new URL(rest).host, CUTS, BYTES / (CUTS + 1));
  let most = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  new Upload(createReadStream(file), {
    endpoint: `http://${cutter.address}/v1/uploads`,
    uploadSize: BYTES,
    chunkSize: CHUNK_BYTES,
    retryDelays: Array.from({ length: CUTS + 1 }, () => 100),
    metadata: { filename: "film.mov" },
    onProgress: () => {
      most = Math.max(most, process.memoryUsage().rss);
    },
    onSuccess: () => resolve(),
    onError: reject,
  }).start();
  await promise;
  return { clientMb: most / 2 ** 20, cuts: cutter.cuts };
}

/** Returns the largest resident memory of a process in MB until the signal aborts. */
async function mostMemoryOf(pid: number, signal: AbortSignal): Promise<number> {
  let most = 0;
  while (!signal.aborted) {
    most = Math.max(most, await memoryOf(pid));
    await sleep(LOOK_EVERY_MS);
  }
  return most;
}

/** Resident memory in MB; 0 if the process has ended. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const data of createReadStream(path)) hash.update(data as Buffer);
  return hash.digest("hex");
}
