/** Starts and stops the demo's service: `svc up` on free loopback ports. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const SVC = fileURLToPath(new URL("../../bin/svc", import.meta.url));
/** Milliseconds. Usually a few seconds are enough; a busy machine may need minutes. */
const START_LIMIT_MS = 300_000;
const READY_POLL_MS = 50;
/** Milliseconds after SIGTERM until the service is killed. */
const STOP_LIMIT_MS = 10_000;
/** Seconds of video per task; short, so that the demo's pair has several. */
const SEGMENT_SECONDS = 2;

export interface Service extends AsyncDisposable {
  /** http://HOST:PORT */
  readonly rest: string;
  /** HOST:PORT */
  readonly grpc: string;
}

/** Starts the service for the files of one folder, which also holds its database, and waits until it accepts jobs. */
export async function startService(folder: string, signal: AbortSignal): Promise<Service> {
  const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0", "--print-addresses"];
  const data = ["--data-dir", join(folder, "data"), "--media-root", folder];
  const pace = ["--segment-seconds", String(SEGMENT_SECONDS), "--drain-timeout", "0"];
  const server = spawn(
    SVC,
    ["up", ...ports, ...data, ...pace, "--log-level", "error", "--log-format", "text"],
    {
      stdio: ["ignore", "pipe", "pipe"],
      // Ctrl-C in the terminal must reach only the demo, which then stops the service itself.
      detached: true,
    },
  );
  const kill = () => server.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    await stopServer(server);
    process.off("exit", kill);
  };
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(START_LIMIT_MS)]);
    const addresses = await addressesOf(server, limit);
    await untilReady(addresses.rest, limit);
    return { ...addresses, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads the line of --print-addresses. Throws with the service's own output if the service ends before. */
async function addressesOf(
  server: ChildProcess,
  signal: AbortSignal,
): Promise<{ rest: string; grpc: string }> {
  if (!server.stdout || !server.stderr) throw new Error("The service has no output streams.");
  const words: string[] = [];
  server.stderr.setEncoding("utf8").on("data", (text: string) => words.push(text));
  const lines = createInterface({ input: server.stdout });
  const ended = once(server, "close", { signal }).then(() => {
    throw new Error(`The service did not start: ${words.join("").trim() || "it ended without output."}`);
  });
  const [line] = await Promise.race([once(lines, "line", { signal }), ended]);
  ended.catch(() => {});
  const addresses: unknown = JSON.parse(String(line));
  if (!isAddresses(addresses)) throw new Error(`The service printed no addresses: ${line}`);
  return addresses;
}

function isAddresses(value: unknown): value is { rest: string; grpc: string } {
  if (typeof value !== "object" || value === null || !("rest" in value) || !("grpc" in value)) return false;
  return typeof value.rest === "string" && typeof value.grpc === "string";
}

async function untilReady(rest: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await fetch(`${rest}/v1/ready`, { signal });
    const body = await response.text();
    if (response.ok) return;
    await pause(READY_POLL_MS, undefined, { signal }).catch((error: unknown) => {
      throw new Error(`The service is not ready for jobs: ${body}`, { cause: error });
    });
  }
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill("SIGTERM");
  const killer = setTimeout(() => server.kill("SIGKILL"), STOP_LIMIT_MS);
  await gone;
  clearTimeout(killer);
}
