/** Sets up the controller, and runs it until a signal stops it. */
import { OPEN_PRINCIPAL } from "../../auth/principal.ts";
import {
  defaultModelsIn,
  findingsIn,
  limitsIn,
  storagesIn,
  uploadLimitsIn,
} from "../../auth/tenants/tenant-settings.ts";
import { openHeaders, type ReadHeader } from "../../engine/header.ts";
import { shutDown, untilStopSignal } from "../../platform/concurrency/lifecycle.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { isLoopback } from "../../platform/net/loopback.ts";
import { type Log, openLog } from "../../platform/observability/log.ts";
import { openMetrics } from "../../platform/observability/metrics.ts";
import type { Store } from "../../store/contract/store.ts";
import { openStore } from "../../store/open.ts";
import { mediaPolicy } from "../parts/media-settings.ts";
import { openTls } from "../parts/tls.ts";
import { openTracing } from "../parts/tracing.ts";
import { unlessStopped } from "../parts/unless-stopped.ts";
import { openAuditLog } from "./audit-log.ts";
import { openAuthentication } from "./authentication.ts";
import { openConsole } from "./console.ts";
import { consoleSignIn } from "./console-settings.ts";
import { ensureDataDir } from "./data-dir.ts";
import { defaultLimits } from "./limit-settings.ts";
import { ControllerPart } from "./part.ts";
import type { ControllerSettings } from "./settings.ts";
import { readResults, readStorages } from "./storages-setting.ts";
import { defaultUploadLimits, openUploads } from "./uploads-setting.ts";

/** Runs the controller until it has stopped, then exits the process. */
export async function runController(settings: ControllerSettings): Promise<void> {
  const log = openLog({ level: settings.logLevel, format: settings.logFormat });
  // A second signal needs no cleanup: the store is as after a crash, which loses nothing.
  const stopSignal = untilStopSignal(async () => {});
  const opened = await unlessStopped(stopSignal, open(settings, log), log);
  const { part, transport, authentication, auditLog, tracing } = opened;
  const addresses = await unlessStopped(stopSignal, part.start(), log);
  auditLog.audit.system("system/start");
  // Started last: watching for changes would keep a process alive that failed to start.
  transport.certificate?.start();
  authentication.start();
  tracing.start();
  log.info(addresses, "listening");
  if (settings.printAddresses) process.stdout.write(`${JSON.stringify(addresses)}\n`);
  const signal = await stopSignal;
  log.info({ signal }, "stopping");
  const phases = [
    ...part.phases(settings.drainTimeout * 1000),
    ...authentication.phases,
    ...transport.phases,
    ...auditLog.phases,
    ...tracing.phases,
  ];
  await shutDown(phases, log);
  log.info("stopped");
  process.exit(0);
}

/** Opens everything that does not need the store. */
async function open(settings: ControllerSettings, log: Log) {
  const { authDisabled } = settings;
  const storages = await readStorages(settings.storagesFile);
  const results = await readResults(settings.resultsStorage);
  const signIn = authDisabled ? ({ kind: "open" } as const) : consoleSignIn(settings);
  const console = settings.consoleDisabled
    ? undefined
    : await openConsole(signIn, settings.consoleUploadOrigin);
  const directory = await openUploads(settings.uploads);
  const registry = openMetrics();
  const host = settings.host ?? (authDisabled ? "127.0.0.1" : "0.0.0.0");
  if (authDisabled) warnOfOpenDoors(host, log);
  else if (settings.tlsCert === undefined && !isLoopback(host)) {
    log.warn(
      { host },
      "tokens are received without TLS; give --tls-cert and --tls-key, or allow only a TLS-terminating proxy to reach this address",
    );
  }
  const tracing = await openTracing(settings, { name: "controller", log, registry });
  const auditLog = await openAuditLog(settings, { log, registry });
  const { audit } = auditLog;
  const transport = await openTls(settings, { log, registry, audit });
  const authentication = await openAuthentication(settings, { log, registry, audit });
  const uploads = {
    directory,
    limitsOf: uploadLimitsIn(authentication.realms, defaultUploadLimits(settings)),
  };
  const part = await ControllerPart.build({
    settings: { ...settings, host, metricsPorts: [settings.metricsPort] },
    authenticate: authentication.authenticate,
    checkReady: authentication.checkReady,
    tokens: authentication.tokens,
    fleetTenant: settings.fleetTenant ?? (authDisabled ? OPEN_PRINCIPAL.tenant : undefined),
    uploads,
    media: mediaPolicy(settings.mediaRoot, { uploads, authenticated: !authDisabled, log }),
    limitsOf: limitsIn(authentication.realms, defaultLimits(settings)),
    defaultModelsOf: defaultModelsIn(authentication.realms, settings.defaultModel),
    findingsOf: findingsIn(authentication.realms, settings.findings),
    storagesOf: storagesIn(authentication.realms, storages),
    results,
    readHeader: settings.probeMedia ? await headersOf(log) : undefined,
    readSecret: authentication.readSecret,
    openStore: await storeOpener(settings, log),
    console,
    certificate: transport.certificate,
    auditLog,
    tracer: tracing.tracer,
    registry,
    log,
  });
  return { part, transport, authentication, auditLog, tracing };
}

async function headersOf(log: Log): Promise<ReadHeader | undefined> {
  const read = await openHeaders(programPlaces(process.env));
  if (read === undefined)
    log.warn("--probe-media: there is no ffmpeg, so listed files are not probed; install it or svc's scorer");
  return read;
}

async function storeOpener(
  { databaseUrl, dataDir }: ControllerSettings,
  log: Log,
): Promise<() => Promise<Store>> {
  if (databaseUrl !== undefined) return () => openStore({ databaseUrl }, log);
  const directory = await ensureDataDir(dataDir, log);
  log.info({ dataDir: directory }, "using the embedded database");
  return () => openStore({ dataDir: directory }, log);
}

function warnOfOpenDoors(host: string, log: Log): void {
  const { tenant, roles } = OPEN_PRINCIPAL;
  log.warn({ tenant, roles }, "AUTHENTICATION IS DISABLED: every caller has full access; not for production");
  if (!isLoopback(host)) log.warn({ host }, "no authentication: anyone who can reach this address can score");
}
