/** Sets up a node, and runs it until a signal or its controller stops it. */
import { availableParallelism } from "node:os";
import type { Registry } from "prom-client";
import { Connection } from "../../client/connection/connection.ts";
import { openTls } from "../../client/connection/tls-settings.ts";
import { openTokens } from "../../client/tokens/settings.ts";
import { openEngine } from "../../engine/open.ts";
import { EngineOpening } from "../../engine/opening.ts";
import type { ProgramPlaces } from "../../engine/programs/places.ts";
import { type Phase, shutDown, untilStopSignal } from "../../platform/concurrency/lifecycle.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { UsageError } from "../../platform/config/setting.ts";
import { Failure } from "../../platform/failure.ts";
import { type Log, openLog } from "../../platform/observability/log.ts";
import { openMetrics } from "../../platform/observability/metrics.ts";
import type { Tracer } from "../../platform/observability/span.ts";
import { version } from "../../platform/version.ts";
import { MonitoringServer } from "../../rest/monitoring/monitoring.ts";
import type { MediaCacheSettings } from "../../worker/media/node-media.ts";
import { NodeMetrics } from "../../worker/metrics.ts";
import { HAND_BACK_LIMIT_MS, Node } from "../../worker/node.ts";
import { hostPort, ListenError } from "../parts/addresses.ts";
import { type EngineSettings, engineOptions, warnOfFallback } from "../parts/engine-settings.ts";
import { openTracing } from "../parts/tracing.ts";
import { mediaCacheIn } from "./media-cache.ts";
import { defaultName, type NodeSettings, threadsPerTask } from "./settings.ts";

/** Runs the node until it has stopped, then exits the process. */
export async function runNode(settings: NodeSettings): Promise<void> {
  const log = openLog({ level: settings.logLevel, format: settings.logFormat });
  const registry = openMetrics();
  const { name = defaultName(), allowedHosts } = settings;
  const connection = await connect(settings, log);
  const tracing = await openTracing(settings, { name: "node", log, registry });
  const places = programPlaces(process.env);
  await warnOfFallback(settings, places, log);
  const parts = openNode({
    ...{ ...settings, connection, name, registry, log, tracer: tracing.tracer },
    places,
    mediaCacheAt: mediaCacheIn(settings, process.env),
  });
  const { node, opening } = parts;
  const stopSignal = untilStopSignal(() => node.stop());
  const monitoring = new MonitoringServer({ registry, ready: () => ready(parts), allowedHosts });
  await listen(monitoring, settings, log);
  tracing.start();
  opening.start();
  node.start();
  const cause = await Promise.race([stopSignal, node.superseded]);
  const superseded = cause instanceof Failure;
  if (!superseded) log.info({ signal: cause }, "stopping");
  const drainMs = superseded ? 0 : settings.drainTimeout * 1000;
  await shutDown([...phases(parts, monitoring, drainMs), ...tracing.phases], log);
  connection[Symbol.dispose]();
  log.info("stopped");
  process.exit(superseded ? EXIT_FAILED : 0);
}

const EXIT_FAILED = 1;

export interface OpenNodeOptions extends EngineSettings {
  readonly connection: Connection;
  readonly name: string;
  readonly slots: number;
  /** Threads of one task; 0: by the cores and the slots. */
  readonly threads: number;
  /** Time limit of a task in seconds. */
  readonly scoreTimeout: number;
  readonly registry: Registry;
  readonly log: Log;
  readonly tracer: Tracer;
  readonly places: ProgramPlaces;
  readonly mediaCacheAt: MediaCacheSettings;
}

export interface NodeParts {
  readonly node: Node;
  readonly opening: EngineOpening;
}

/** Creates a node and the opening of its engine. Neither is started. */
export function openNode(options: OpenNodeOptions): NodeParts {
  const { connection, name, slots, scoreTimeout, registry, log, tracer, places } = options;
  const engine = engineOptions(options, { threads: threadsPerTask(options, availableParallelism()), places });
  const opening = new EngineOpening(() => openEngine(engine), log);
  const metrics = new NodeMetrics(registry);
  const timeoutMs = scoreTimeout * 1000;
  const node = new Node({
    ...{ connection, opening, name, slots, timeoutMs, metrics, log, tracer },
    mediaCache: options.mediaCacheAt,
    mediaRoots: engine.mediaRoots,
    version: version(),
  });
  return { node, opening };
}

async function connect(settings: NodeSettings, log: Log): Promise<Connection> {
  const { controller: address } = settings;
  const tls = await usableTls(settings);
  const tokens = openTokens(settings, ({ code, message: detail }) =>
    log.warn({ code, detail }, "failed to get a token from the identity provider"),
  );
  if (tokens === undefined) return new Connection({ address, tls });
  return new Connection({
    address,
    tls,
    // A retryable failure: the token may be available at the next attempt.
    token: () =>
      tokens.get().catch((cause: unknown) => {
        throw new Failure("SERVER_UNREACHABLE", Failure.from(cause).message, { cause });
      }),
    onRefused: (token) => tokens.refused(token),
  });
}

/** Throws UsageError if a file cannot be used. */
async function usableTls(settings: NodeSettings): Promise<Awaited<ReturnType<typeof openTls>>> {
  try {
    return await openTls(settings, settings.controller);
  } catch (thrown) {
    throw new UsageError(Failure.from(thrown).message, { cause: thrown });
  }
}

function ready({ node, opening }: NodeParts): object {
  node.checkReady();
  return { status: "ready", scorer: opening.engine.scorer };
}

async function listen(monitoring: MonitoringServer, settings: NodeSettings, log: Log): Promise<void> {
  const { host, metricsPort, printAddresses } = settings;
  const port = await monitoring.listen(host, metricsPort).catch((error: unknown) => {
    throw new ListenError("--metrics-port", hostPort(host, metricsPort), error);
  });
  const addresses = { metrics: `http://${hostPort(host, port)}` };
  log.info(addresses, "listening");
  if (printAddresses) process.stdout.write(`${JSON.stringify(addresses)}\n`);
}

/** Milliseconds beyond the limits of the node itself, for signing off at the controller. */
const LEAVE_LIMIT_MS = 4_000;

function phases(parts: NodeParts, monitoring: MonitoringServer, drainMs: number): Phase[] {
  return [
    ...nodeDrainPhases(parts, drainMs),
    { name: "close the monitoring port", limitMs: 1_000, run: () => monitoring.close() },
  ];
}

/** The shutdown phases of a node: running tasks get `drainMs`, then the remaining ones are handed back. */
export function nodeDrainPhases({ node, opening }: NodeParts, drainMs: number): Phase[] {
  const limitMs = drainMs + 2 * HAND_BACK_LIMIT_MS + LEAVE_LIMIT_MS;
  return [
    { name: "finish running work", limitMs, run: () => node.drain(drainMs) },
    { name: "stop opening the scorer", limitMs: 1_000, run: () => opening.stop() },
  ];
}
