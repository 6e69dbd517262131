/** Wires the scoring server, and runs it until a signal stops it. */
import type { FastifyInstance } from "fastify";
import { openEngine } from "../engine/open.ts";
import { EngineOpening } from "../engine/opening.ts";
import { type Phase, shutDown, untilStopSignal } from "../platform/lifecycle.ts";
import { type Log, openLog } from "../platform/log.ts";
import { openMetrics } from "../platform/metrics.ts";
import { restServer } from "../rest/server.ts";
import { RpcServer } from "../rpc/server.ts";
import { ScoringMetrics } from "../scoring/metrics.ts";
import { ScoringService } from "../scoring/service.ts";
import { hostPort, isLoopback, ListenError } from "./addresses.ts";
import { engineOptions } from "./engine-settings.ts";
import type { ServerSettings } from "./server-settings.ts";

/** Runs the server to its end; does not return. */
export async function runServer(settings: ServerSettings): Promise<void> {
  const log = openLog({ level: settings.logLevel, format: settings.logFormat });
  const parts = await build(settings, log);
  const stopSignal = untilStopSignal(() => parts.service.abort());
  await listen(parts, settings, log).catch(async (error: unknown) => {
    await parts.rest.close();
    throw error;
  });
  parts.opening.start();
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
}

async function build(settings: ServerSettings, log: Log): Promise<Parts> {
  const registry = openMetrics();
  const opening = new EngineOpening(
    () => openEngine(engineOptions(settings, { ...settings, searchPath: process.env["PATH"] })),
    log,
  );
  const service = new ScoringService({
    engine: () => opening.engine,
    concurrency: settings.concurrency,
    timeoutMs: settings.scoreTimeout * 1000,
    metrics: new ScoringMetrics(registry, settings.concurrency),
    log,
  });
  const rest = await restServer({
    service,
    registry,
    log,
    tryItOut: settings.uiTryItOut,
    requestTimeoutMs: settings.requestTimeout * 1000,
  });
  return { opening, service, rest, rpc: new RpcServer({ service, registry }) };
}

async function listen({ rest, rpc }: Parts, settings: ServerSettings, log: Log): Promise<void> {
  const { host, port, grpcPort, printAddresses } = settings;
  const restAddress = await rest.listen({ host, port }).then(
    () => `http://${hostPort(host, boundPort(rest))}`,
    (error: unknown) => Promise.reject(new ListenError("--port", hostPort(host, port), error)),
  );
  const grpcAddress = await rpc.listen(hostPort(host, grpcPort)).then(
    (bound) => hostPort(host, bound),
    (error: unknown) => Promise.reject(new ListenError("--grpc-port", hostPort(host, grpcPort), error)),
  );
  const addresses = { rest: restAddress, grpc: grpcAddress };
  log.info(addresses, "listening");
  if (!isLoopback(host)) log.warn({ host }, "no authentication: whoever reaches this address can score");
  if (printAddresses) process.stdout.write(`${JSON.stringify(addresses)}\n`);
}

function boundPort(rest: FastifyInstance): number {
  const address = rest.server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Milliseconds for the answers of finished scores to leave, and for idle connections to close. */
const CLOSE_LIMIT_MS = 3_000;
/** Milliseconds beyond the drain limit: aborted scorers are killed within it. */
const ABORT_GRACE_MS = 6_000;

function phases({ opening, service, rest, rpc }: Parts, drainMs: number): Phase[] {
  return [
    { name: "tell health watchers", limitMs: 1_000, run: () => rpc.setServing(false) },
    { name: "finish running scores", limitMs: drainMs + ABORT_GRACE_MS, run: () => service.drain(drainMs) },
    { name: "stop opening the scorer", limitMs: 1_000, run: () => opening.stop() },
    { name: "close gRPC", limitMs: CLOSE_LIMIT_MS + 500, run: () => rpc.close(CLOSE_LIMIT_MS) },
    { name: "close REST", limitMs: CLOSE_LIMIT_MS, run: () => rest.close() },
  ];
}
