/** The settings of `svc node`. */
import { hostname } from "node:os";
import { TLS_SETTINGS, tlsSettingsFault } from "../../client/connection/tls-settings.ts";
import { TOKEN_SETTINGS, tokenSettingsFault } from "../../client/tokens/settings.ts";
import {
  integer,
  type SettingValues,
  text,
  textOr,
  toggle,
  UsageError,
} from "../../platform/config/setting.ts";
import { ENGINE_SETTINGS } from "../parts/engine-settings.ts";
import { LOG_SETTINGS } from "../parts/log-settings.ts";
import { TENANT_MEDIA_ROOT } from "../parts/media-settings.ts";
import { ALLOWED_HOSTS } from "../parts/serve-settings.ts";
import { TRACING_SETTINGS } from "../parts/tracing-settings.ts";
import { MEDIA_CACHE_SETTINGS } from "./media-cache.ts";

const DAY_SECONDS = 86_400;

/** The settings of a node in any process. */
export const NODE_WORK_SETTINGS = {
  ...ENGINE_SETTINGS,
  mediaRoot: TENANT_MEDIA_ROOT,
  ...MEDIA_CACHE_SETTINGS,
  slots: integer({
    flags: "--slots <slots>",
    help: "tasks to run at a time; each uses --threads threads and a few hundred MB of memory",
    fallback: 1,
    min: 1,
    max: 1024,
  }),
  threads: integer({
    flags: "--threads <threads>",
    help: "threads of each task; 0: twice its share of the cores among the slots, but at most all cores",
    fallback: 0,
    min: 0,
    max: 256,
  }),
} as const;

export const NODE_SETTINGS = {
  controller: textOr({
    flags: "--controller <host:port>",
    help: "gRPC address of the controller",
    fallback: "127.0.0.1:9090",
  }),
  ...TLS_SETTINGS,
  ...TOKEN_SETTINGS,
  name: text({
    flags: "--name <name>",
    help: "name of the node, unique in its tenant, 1 to 200 characters; replaces a running node of the same name",
    shownDefault: "HOSTNAME-PID",
  }),
  ...NODE_WORK_SETTINGS,
  scoreTimeout: integer({
    flags: "--score-timeout <seconds>",
    help: "time limit of a task in seconds; a video that cannot be split is one task",
    fallback: DAY_SECONDS,
    min: 1,
    max: 7 * DAY_SECONDS,
  }),
  drainTimeout: integer({
    flags: "--drain-timeout <seconds>",
    help: "seconds for running tasks to finish when the node stops; the remaining ones are handed back",
    fallback: 60,
    min: 0,
    max: DAY_SECONDS,
  }),
  host: textOr({
    flags: "--host <address>",
    help: "address to listen on for probes and metrics",
    fallback: "127.0.0.1",
  }),
  allowedHosts: ALLOWED_HOSTS,
  metricsPort: integer({
    flags: "--metrics-port <port>",
    help: "port of the probes and metrics; 0 picks a free one",
    fallback: 9464,
    min: 0,
    max: 65_535,
  }),
  ...LOG_SETTINGS,
  ...TRACING_SETTINGS,
  printAddresses: toggle({
    flags: "--print-addresses",
    help: "print the address as one line of JSON on stdout once the port is open: metrics (http://HOST:PORT)",
  }),
} as const;

export type NodeSettings = SettingValues<typeof NODE_SETTINGS>;

/** "controller:9090", "[::1]:9090". */
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const MAX_PORT = 65_535;
const MAX_NAME = 200;

/** Throws UsageError for settings that are known to be wrong before anything starts. */
export function checkNodeSettings(settings: NodeSettings): void {
  const { controller, name } = settings;
  const port = Number(ADDRESS.exec(controller)?.[2] ?? 0);
  if (port < 1 || port > MAX_PORT) {
    throw new UsageError(
      `--controller: ${JSON.stringify(controller)} is not an address. Give HOST:PORT, for example 127.0.0.1:9090.`,
    );
  }
  if (name !== undefined && (name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name))) {
    throw new UsageError(
      `--name: ${JSON.stringify(name)} is not a name of 1 to ${MAX_NAME} printable characters.`,
    );
  }
  const fault = tlsSettingsFault(settings) ?? tokenSettingsFault(settings);
  if (fault !== undefined) throw new UsageError(fault);
}

export function defaultName(): string {
  return `${hostname().slice(0, MAX_NAME - 12)}-${process.pid}`;
}

/**
 * Threads of libvmaf for a task, if none are set: up to this many times its share of the cores. A short film's last tasks do not end
 * together, and a task that runs alone uses the cores that others left. The threads cost 45 bytes of memory per pixel
 * each, and no measurable CPU time (docs/performance.md).
 */
const SHARES = 2;

/** Returns the threads of one task on a node with this number of cores. `threads` is the setting; 0: to be calculated. */
export function threadsPerTask(
  { slots, threads }: { readonly slots: number; readonly threads: number },
  cores: number,
): number {
  return threads > 0 ? threads : Math.min(cores, Math.max(1, Math.floor((SHARES * cores) / slots)));
}
