/** Sets up a controller and a node in one process, and runs them until a signal stops them. */
import { join } from "node:path";
import { allowAnonymous, OPEN_PRINCIPAL } from "../../auth/principal.ts";
import { Connection } from "../../client/connection/connection.ts";
import { openHeaders } from "../../engine/header.ts";
import { uploadLimits } from "../../jobs/media/upload-limits.ts";
import { type Phase, shutDown, untilStopSignal } from "../../platform/concurrency/lifecycle.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { Failure } from "../../platform/failure.ts";
import { type Log, openLog } from "../../platform/observability/log.ts";
import { openMetrics } from "../../platform/observability/metrics.ts";
import { browserCommand, openBrowser } from "../../platform/open-browser.ts";
import { openStore } from "../../store/open.ts";
import { openAuditLog } from "../controller/audit-log.ts";
import { openConsole } from "../controller/console.ts";
import { ensureDataDir } from "../controller/data-dir.ts";
import { defaultLimits } from "../controller/limit-settings.ts";
import { type ControllerAddresses, ControllerPart } from "../controller/part.ts";
import { readResults, readStorages } from "../controller/storages-setting.ts";
import { defaultUploadLimits, openUploads } from "../controller/uploads-setting.ts";
import { mediaCacheIn } from "../node/media-cache.ts";
import { type NodeParts, nodeDrainPhases, openNode } from "../node/run.ts";
import { warnOfFallback } from "../parts/engine-settings.ts";
import { mediaPolicy, withUploads } from "../parts/media-settings.ts";
import { openTracing } from "../parts/tracing.ts";
import { unlessStopped } from "../parts/unless-stopped.ts";
import { metricsPorts, type UpSettings } from "./settings.ts";

/** Loopback, because this process has no authentication. */
const HOST = "127.0.0.1";
/** The same at every start: the node takes over the name, and with it the leases of a process that died. */
const NODE_NAME = "local";
/** Seconds. A video that cannot be split is one task. */
const TASK_TIMEOUT = 86_400;
/** Milliseconds for requests to end after the node has stopped, when nothing is left to wait for. */
const REQUESTS_DRAIN_MS = 1_000;

const EXIT_FAILED = 1;

/** Runs both until they have stopped, then exits the process. */
export async function runUp(settings: UpSettings): Promise<void> {
  const log = openLog({ level: settings.logLevel, format: settings.logFormat });
  let node: NodeParts | undefined;
  const stopSignal = untilStopSignal(async () => node?.node.stop());
  const opened = await unlessStopped(stopSignal, open(settings, log), log);
  const { part, dataDir, mediaRoot, registry, tracing, auditLog } = opened;
  const addresses = await unlessStopped(stopSignal, part.start(), log);
  auditLog.audit.system("system/start");
  tracing.start();
  log.info({ ...addresses, dataDir }, "listening");
  const connection = new Connection({ address: addresses.grpc });
  const places = programPlaces(process.env);
  await warnOfFallback(settings, places, log);
  node = openNode({
    ...settings,
    mediaRoot,
    connection,
    name: NODE_NAME,
    scoreTimeout: TASK_TIMEOUT,
    tracer: tracing.tracer,
    registry,
    log,
    places,
    mediaCacheAt: mediaCacheIn(settings, process.env),
  });
  node.opening.start();
  node.node.start();
  report(addresses, dataDir, settings);
  const cause = await Promise.race([stopSignal, node.node.superseded]);
  const superseded = cause instanceof Failure;
  log.info(superseded ? { code: cause.code } : { signal: cause }, "stopping");
  logStopping(settings);
  const ending = phases({ part, node, connection, settings });
  const all = [...ending, ...auditLog.phases, ...tracing.phases];
  await shutDown(all, log);
  log.info("stopped");
  process.exit(superseded ? EXIT_FAILED : 0);
}

/** Opens everything that does not need the store. */
async function open(settings: UpSettings, log: Log) {
  const { consoleDisabled, consoleUploadOrigin } = settings;
  const console = consoleDisabled ? undefined : await openConsole({ kind: "open" }, consoleUploadOrigin);
  const storages = await readStorages(settings.storagesFile);
  const results = await readResults(settings.resultsStorage);
  const dataDir = await ensureDataDir(settings.dataDir, log);
  const directory = await openUploads(settings.uploads ?? join(dataDir, "uploads"));
  const mostUploads = uploadLimits(defaultUploadLimits(settings));
  const uploads = { directory, limitsOf: () => mostUploads };
  const registry = openMetrics();
  const limits = defaultLimits(settings);
  const tracing = await openTracing(settings, { name: "up", log, registry });
  const auditLog = await openAuditLog(settings, { log, registry });
  const part = await ControllerPart.build({
    settings: { ...settings, host: HOST, metricsPorts: metricsPorts(settings) },
    authenticate: allowAnonymous,
    tokens: undefined,
    fleetTenant: OPEN_PRINCIPAL.tenant,
    uploads,
    media: mediaPolicy(settings.mediaRoot, { uploads, authenticated: false, log }),
    limitsOf: () => limits,
    defaultModelsOf: () => settings.defaultModel,
    findingsOf: () => settings.findings,
    storagesOf: () => storages,
    results,
    // The node of this process reads the same files with the same programs.
    readHeader: await openHeaders(programPlaces(process.env)),
    openStore: () => openStore({ dataDir }, log),
    auditLog,
    tracer: tracing.tracer,
    console,
    registry,
    log,
  });
  // Without roots the node reads any file.
  const mediaRoot = settings.mediaRoot.length === 0 ? [] : withUploads(settings.mediaRoot, uploads);
  return { part, dataDir, mediaRoot, registry, tracing, auditLog };
}

interface Parts {
  readonly part: ControllerPart;
  readonly node: NodeParts;
  readonly connection: Connection;
  readonly settings: UpSettings;
}

/** The node stops first, while the controller still accepts its reports. */
function phases({ part, node, connection, settings }: Parts): Phase[] {
  return [
    ...nodeDrainPhases(node, settings.drainTimeout * 1000),
    { name: "disconnect the node", limitMs: 1_000, run: () => connection[Symbol.dispose]() },
    ...part.phases(REQUESTS_DRAIN_MS),
  ];
}

/** Prints the addresses: one line for programs, or a few lines for people on a terminal. */
function report(
  { rest, grpc, metrics }: ControllerAddresses,
  dataDir: string,
  { printAddresses, consoleDisabled, browserDisabled }: UpSettings,
): void {
  if (printAddresses) process.stdout.write(`${JSON.stringify({ rest, grpc, metrics })}\n`);
  else if (process.stdout.isTTY) {
    const console = consoleDisabled ? "" : `  console  ${rest}/console\n`;
    process.stdout.write(`svc is running, reachable from this machine only.
${console}  REST     ${rest}
  page     ${rest}/ui
  gRPC     ${grpc}
  metrics  ${metrics}/metrics
  data     ${dataDir}

Score a pair:  svc jobs submit REFERENCE DISTORTED --wait${serverFlag(grpc)}
Ctrl-C stops it; the next start continues where this one stopped.
`);
    if (!consoleDisabled && !browserDisabled) openConsoleOf(rest);
  }
}

/** Opens the console in a browser, on a desktop only. Elsewhere people use the printed address. */
function openConsoleOf(rest: string): void {
  const command = browserCommand(process.env, process.platform);
  if (command !== undefined) openBrowser(command, `${rest}/console`, () => {});
}

/** Empty if the address is the default of the commands. */
function serverFlag(grpc: string): string {
  return grpc === `${HOST}:9090` ? "" : ` --server ${grpc}`;
}

function logStopping({ printAddresses, drainTimeout }: UpSettings): void {
  if (printAddresses || !process.stdout.isTTY) return;
  process.stdout.write(
    `\nFinishing running tasks for up to ${drainTimeout} s; press Ctrl-C again to stop immediately. Nothing is lost.\n`,
  );
}
