/**
 * Latency of a regular caller while others flood the gateway: GetJob at a low, fixed rate over both transports, alone
 * and during floods of requests that must be refused, in turns. Run with `npm run bench:flood`; docs/performance.md has
 * the results of one run.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "./client.ts";
import { percentile } from "./flight.ts";
import { KINDS, type Kind, type Order } from "./flood-order.ts";
import { median } from "./interleave.ts";
import type { SvcProcess } from "./process.ts";
import { BenchProvider } from "./provider.ts";
import { startController } from "./system.ts";
import { holdTo } from "./target.ts";

/** Calls per second of the regular caller over each transport. */
const GOOD_RATE = 25;
/** Requests per second of the flood. Limited, because the flooder shares the machine and must not be the bottleneck. */
const FLOOD_RATE = 500;
const ROUND_MS = 4_000;
const ROUNDS = 5;
/** Maximum ratio to the median latency without a flood. */
const MAX_RATIO = 2;
/** Milliseconds of CPU time per tick in /proc. */
const TICK_MS = 10;
const FLOODER = fileURLToPath(new URL("flooder.ts", import.meta.url));

interface Turn {
  /** Milliseconds of each call of the regular caller. */
  readonly grpc: readonly number[];
  readonly rest: readonly number[];
  /** Milliseconds of CPU time of the controller. */
  readonly cpu: number;
  /** Milliseconds of wall-clock time. */
  readonly elapsed: number;
  readonly sent: number;
  readonly refused: number;
}

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  using provider = await BenchProvider.open();
  await using controller = await startController(["--data-dir", join(directory, "store")], {
    auth: [...provider.flags, "--media-root", "/media"],
  });
  const token = await provider.newToken();
  using client = new Client(controller.grpc, token);
  const job = await client.submit({ reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" });
  await bench(controller, client, { token, job });
} finally {
  await rm(directory, { recursive: true });
}

async function bench(
  controller: SvcProcess,
  client: Client,
  { token, job }: { readonly token: string; readonly job: string },
): Promise<void> {
  const names = ["alone", ...KINDS] as const;
  const turns = new Map<string, Turn[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of names) {
      const turn = await during(controller, name === "alone" ? undefined : name, token, async () => ({
        grpc: await paced(() => client.job(job)),
        rest: await paced(() => get(`${controller.rest}/v1/jobs/${job}`, token)),
      }));
      if (round > 0) turns.get(name)?.push(turn);
    }
    process.stderr.write(`round ${round} of ${ROUNDS}\n`);
  }
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores`);
  console.log(`GetJob ${GOOD_RATE} times per second, floods of ${FLOOD_RATE} per second; ${ROUNDS} rounds`);
  print(turns);
}

/** Measures the regular caller during a flood; `kind` undefined means none. */
async function during(
  controller: SvcProcess,
  kind: Kind | undefined,
  token: string,
  work: () => Promise<Pick<Turn, "grpc" | "rest">>,
): Promise<Turn> {
  const [before, began] = [await cpuOf(controller.pid), performance.now()];
  const flood =
    kind && startFlood({ kind, rest: controller.rest, grpc: controller.grpc, token, rate: FLOOD_RATE });
  // Time for the flood to start.
  await sleep(500);
  const times = await work();
  const counts = await (flood?.() ?? { sent: 0, refused: 0 });
  const cpu = (await cpuOf(controller.pid)) - before;
  return { ...times, ...counts, cpu, elapsed: performance.now() - began };
}

/** Starts a flood. Returns a function that ends it and returns how many requests were sent and refused. */
function startFlood(order: Order): () => Promise<Pick<Turn, "sent" | "refused">> {
  const child = spawn(process.execPath, [FLOODER], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(`${JSON.stringify(order)}\n`);
  return async () => {
    child.stdin.end();
    let output = "";
    for await (const chunk of child.stdout) output += String(chunk);
    return JSON.parse(output) as Pick<Turn, "sent" | "refused">;
  };
}

/** Makes calls for half a round at the regular caller's rate, without waiting for earlier responses. */
async function paced(call: () => Promise<unknown>): Promise<readonly number[]> {
  const calls: Promise<number>[] = [];
  const began = performance.now();
  const count = (ROUND_MS / 2 / 1000) * GOOD_RATE;
  for (let n = 0; n < count; n++) {
    const due = began + (n * 1000) / GOOD_RATE;
    await sleep(Math.max(0, due - performance.now()));
    const started = performance.now();
    calls.push(call().then(() => performance.now() - started));
  }
  return Promise.all(calls);
}

async function get(url: string, token: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${body}`);
}

/** Returns the milliseconds of CPU time that a process has used so far. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The program name is in parentheses and may contain spaces; the times are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function print(turns: ReadonlyMap<string, readonly Turn[]>): void {
  const alone = turns.get("alone") ?? [];
  for (const [name, own] of turns) {
    const shown = (["grpc", "rest"] as const).map((transport) => {
      const all = own.flatMap((turn) => turn[transport]);
      const ratio = median(
        own.map((turn, round) => median(turn[transport]) / median(alone[round]?.[transport] ?? [])),
      );
      holdTo(MAX_RATIO, ratio, `${name}, ${transport}`);
      const figures = [median(all), percentile(all, 0.99)].map((value) => value.toFixed(2));
      return `${transport} ${figures[0]} ms, p99 ${figures[1]} ms, ratio ${ratio.toFixed(2)}`;
    });
    console.log(`  ${name.padEnd(20)} ${shown.join("; ")}; ${costOf(own, alone)}`);
  }
}

function costOf(own: readonly Turn[], alone: readonly Turn[]): string {
  const sum = (turns: readonly Turn[], of: (turn: Turn) => number) =>
    turns.reduce((all, turn) => all + of(turn), 0);
  const share = sum(own, ({ cpu }) => cpu) / sum(own, ({ elapsed }) => elapsed);
  const [sent, refused] = [sum(own, (turn) => turn.sent), sum(own, (turn) => turn.refused)];
  const more = own.map(({ cpu, sent: count }, round) => (cpu - (alone[round]?.cpu ?? 0)) / count);
  const each = sent === 0 ? "" : `, ${(median(more) * 1000).toFixed(0)} µs of CPU each`;
  return `${(share * 100).toFixed(0)} % of a core; ${sent} sent, ${refused} refused${each}`;
}
