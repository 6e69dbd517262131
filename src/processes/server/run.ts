/** Sets up the scoring server, and runs it until a signal stops it. */
import type { FastifyInstance } from "fastify";
import { OPEN_GATE } from "../../auth/access/gate.ts";
import { openEngine } from "../../engine/open.ts";
import { EngineOpening } from "../../engine/opening.ts";
import type { operations } from "../../gen/rest/openapi.ts";
import { scoringService } from "../../grpc/scoring.ts";
import { RpcServer } from "../../grpc/server.ts";
import { type Phase, shutDown, untilStopSignal } from "../../platform/concurrency/lifecycle.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { isLoopback } from "../../platform/net/loopback.ts";
import { type Log, openLog } from "../../platform/observability/log.ts";
import { openMetrics } from "../../platform/observability/metrics.ts";
import { scoringHandlers } from "../../rest/api/scoring.ts";
import { readDescription } from "../../rest/contract/description.ts";
import { closeServer, restServer } from "../../rest/server.ts";
import { ScoringMetrics } from "../../scoring/metrics.ts";
import { ScoringService } from "../../scoring/service.ts";
import type { Tracing } from "../../tracing/tracing.ts";
import { engineOptions, warnOfFallback } from "../parts/engine-settings.ts";
import { listenOn } from "../parts/listen.ts";
import { openTracing } from "../parts/tracing.ts";
import type { ServerSettings } from "./settings.ts";

/** Runs the server until it has stopped, then exits the process. */
export async function runServer(settings: ServerSettings): Promise<void> {
  const log = openLog({ level: settings.logLevel, format: settings.logFormat });
  const parts = await build(settings, log);
  const stopSignal = untilStopSignal(() => parts.service.abort());
  await listen(parts, settings, log).catch(async (error: unknown) => {
    await parts.rest.close();
    throw error;
  });
  parts.opening.start();
  parts.tracing.start();
  void parts.opening.started.then(() => parts.rpc.setServing(!parts.service.draining));
  const signal = await stopSignal;
  parts.service.refuseNew();
  log.info({ signal }, "stopping");
  await shutDown(phases(parts, settings.drainTimeout * 1000), log);
  log.info("stopped");
  process.exit(0);
}

interface Parts {
  readonly opening: EngineOpening;
  readonly service: ScoringService;
  readonly rest: FastifyInstance;
  readonly rpc: RpcServer;
  readonly tracing: Tracing;
}

async function build(settings: ServerSettings, log: Log): Promise<Parts> {
  const registry = openMetrics();
  const tracing = await openTracing(settings, { name: "server", log, registry });
  const { tracer } = tracing;
  const places = programPlaces(process.env);
  await warnOfFallback(settings, places, log);
  const opening = new EngineOpening(() => openEngine(engineOptions(settings, { ...settings, places })), log);
  const service = new ScoringService({
    engine: () => opening.engine,
    concurrency: settings.concurrency,
    timeoutMs: settings.scoreTimeout * 1000,
    metrics: new ScoringMetrics(registry, settings.concurrency),
    log,
  });
  const description = await readDescription<keyof operations>("server");
  const rest = restServer(description, scoringHandlers({ service, registry }, description), {
    gate: OPEN_GATE,
    registry,
    log,
    tryItOut: settings.uiTryItOut,
    requestTimeoutMs: settings.requestTimeout * 1000,
    allowedHosts: settings.allowedHosts,
    tracer,
  });
  const rpc = new RpcServer({ services: [scoringService(service)], registry, gate: OPEN_GATE, tracer });
  return { opening, service, rest, rpc, tracing };
}

async function listen({ rest, rpc }: Parts, settings: ServerSettings, log: Log): Promise<void> {
  const addresses = await listenOn(rest, rpc, settings);
  log.info(addresses, "listening");
  const { host, printAddresses } = settings;
  if (!isLoopback(host)) log.warn({ host }, "no authentication: anyone who can reach this address can score");
  if (printAddresses) process.stdout.write(`${JSON.stringify(addresses)}\n`);
}

/** Milliseconds for sending the responses of finished scores and closing idle connections. */
const CLOSE_LIMIT_MS = 3_000;
/** Milliseconds beyond the drain timeout, within which aborted scorers are killed. */
const ABORT_GRACE_MS = 6_000;

function phases({ opening, service, rest, rpc, tracing }: Parts, drainMs: number): Phase[] {
  return [
    { name: "notify health watchers", limitMs: 1_000, run: () => rpc.setServing(false) },
    { name: "finish running scores", limitMs: drainMs + ABORT_GRACE_MS, run: () => service.drain(drainMs) },
    { name: "stop opening the scorer", limitMs: 1_000, run: () => opening.stop() },
    { name: "close gRPC", limitMs: CLOSE_LIMIT_MS + 500, run: () => rpc.close(CLOSE_LIMIT_MS) },
    { name: "close REST", limitMs: CLOSE_LIMIT_MS, run: () => closeServer(rest) },
    ...tracing.phases,
  ];
}
