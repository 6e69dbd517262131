/** Wires a controller and a node into one process, and runs them until a signal stops them. */
import { authenticateNobody, OPEN_PRINCIPAL } from "../auth/principal.ts";
import { Connection } from "../client/connection.ts";
import { Failure } from "../platform/failure.ts";
import { type Phase, shutDown, untilStopSignal } from "../platform/lifecycle.ts";
import { openLog } from "../platform/log.ts";
import { openMetrics } from "../platform/metrics.ts";
import { openStore } from "../store/open.ts";
import { type ControllerAddresses, ControllerPart } from "./controller-part.ts";
import { ensureDataDir } from "./data-dir.ts";
import { mediaPolicy } from "./media-settings.ts";
import { type NodeParts, nodeDrainPhases, openNode } from "./node-run.ts";
import type { UpSettings } from "./up-settings.ts";

/** This process has no authentication, so nobody else may reach it. */
const HOST = "127.0.0.1";
/** The same at every start: the node takes over the name, and with it what a process that died had leased. */
const NODE_NAME = "local";
/** Seconds: a film that cannot be cut is one piece of work. */
const PIECE_TIMEOUT = 86_400;
/** Milliseconds for requests to end once the node is done: nothing is left to wait for. */
const REQUESTS_DRAIN_MS = 1_000;

const EXIT_FAILED = 1;

/** Runs both to their end; does not return. */
export async function runUp(settings: UpSettings): Promise<void> {
  const log = openLog({ level: settings.logLevel, format: settings.logFormat });
  let node: NodeParts | undefined;
  const stopSignal = untilStopSignal(async () => node?.node.stop());
  const dataDir = await ensureDataDir(settings.dataDir);
  const registry = openMetrics();
  const part = await ControllerPart.build({
    settings: { ...settings, host: HOST },
    authenticate: authenticateNobody,
    fleetTenant: OPEN_PRINCIPAL.tenant,
    media: mediaPolicy(settings.mediaRoot, { authenticated: false, log }),
    openStore: () => openStore({ dataDir }, log),
    registry,
    log,
  });
  const addresses = await part.startUnless(stopSignal);
  log.info({ ...addresses, dataDir }, "listening");
  const connection = new Connection({ address: addresses.grpc });
  node = openNode({
    ...settings,
    connection,
    name: NODE_NAME,
    scoreTimeout: PIECE_TIMEOUT,
    registry,
    log,
    searchPath: process.env["PATH"],
  });
  node.opening.start();
  node.node.start();
  tell(addresses, dataDir, settings);
  const cause = await Promise.race([stopSignal, node.node.superseded]);
  const superseded = cause instanceof Failure;
  log.info(superseded ? { code: cause.code } : { signal: cause }, "stopping");
  tellStopping(settings);
  await shutDown(phases(part, node, connection, settings), log);
  log.info("stopped");
  process.exit(superseded ? EXIT_FAILED : 0);
}

/** The node first, while the controller still takes its reports. */
function phases(
  part: ControllerPart,
  node: NodeParts,
  connection: Connection,
  { drainTimeout }: UpSettings,
): Phase[] {
  return [
    ...nodeDrainPhases(node, drainTimeout * 1000),
    { name: "disconnect the node", limitMs: 1_000, run: () => connection[Symbol.dispose]() },
    ...part.phases(REQUESTS_DRAIN_MS),
  ];
}

/** Where things are: as one line for programs, or in a few lines for people on a terminal. */
function tell(
  { rest, grpc, metrics }: ControllerAddresses,
  dataDir: string,
  { printAddresses }: UpSettings,
): void {
  if (printAddresses) process.stdout.write(`${JSON.stringify({ rest, grpc, metrics })}\n`);
  else if (process.stdout.isTTY) {
    process.stdout.write(`svc is up, on this machine only.
  REST     ${rest}
  page     ${rest}/ui
  gRPC     ${grpc}
  metrics  ${metrics}/metrics
  data     ${dataDir}

Score a pair:  svc jobs submit REFERENCE DISTORTED --wait${serverFlag(grpc)}
Ctrl-C stops it; the next start goes on where this one stopped.
`);
  }
}

/** Where the commands do not look by themselves. */
function serverFlag(grpc: string): string {
  return grpc === `${HOST}:9090` ? "" : ` --server ${grpc}`;
}

function tellStopping({ printAddresses, drainTimeout }: UpSettings): void {
  if (printAddresses || !process.stdout.isTTY) return;
  process.stdout.write(
    `\nFinishing what runs, for up to ${drainTimeout} s; Ctrl-C again stops it at once. Nothing is lost.\n`,
  );
}
