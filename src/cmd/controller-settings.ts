/** The settings of `svc controller`. Every one states its default and its unit. */
import { WORST_MOMENTS } from "../jobs/moments.ts";
import { LONGEST_LEASE_MS } from "../jobs/retry.ts";
import { integer, type SettingValues, text, toggle, UsageError } from "../platform/setting.ts";
import { AUDIT_SETTINGS } from "./audit-settings.ts";
import { AUTH_SETTINGS, planAuth } from "./auth-settings.ts";
import { CONSOLE_SETTINGS, checkConsoleSettings } from "./console-settings.ts";
import { LIMIT_SETTINGS } from "./limit-settings.ts";
import { LOG_SETTINGS } from "./log-settings.ts";
import { JOB_MEDIA_ROOT } from "./media-settings.ts";
import { PORT_SETTINGS, REST_SETTINGS } from "./serve-settings.ts";
import { SERVER_TLS_SETTINGS, tlsFiles } from "./tls-settings.ts";
import { TRACING_SETTINGS } from "./tracing-settings.ts";

const DAY_SECONDS = 86_400;

/** What a controller needs of its own, also inside another process. */
export const CONTROL_SETTINGS = {
  ...PORT_SETTINGS,
  metricsPort: integer({
    flags: "--metrics-port <port>",
    help: "port of /metrics, which needs no token; 0 takes a free one",
    fallback: 9464,
    min: 0,
    max: 65_535,
  }),
  dataDir: text({
    flags: "--data-dir <dir>",
    help: "directory of the embedded database; one process at a time may use it",
    shownDefault: "$XDG_STATE_HOME/svc, or ~/.local/state/svc",
  }),
  lease: integer({
    flags: "--lease <seconds>",
    help: "time after which the work of a node that is silent is given out again, in seconds",
    fallback: 30,
    min: 1,
    max: LONGEST_LEASE_MS / 1000,
  }),
  segmentSeconds: integer({
    flags: "--segment-seconds <seconds>",
    help: "seconds of video in a piece of work, about; shorter ones spread a film over more nodes and cost more around each",
    fallback: 10,
    min: 1,
    max: 3600,
  }),
  worstStills: integer({
    flags: "--worst-stills <count>",
    help: "worst moments of each job whose stills are made without being asked for, ten pictures of five; most of what a job takes in the store. 0: of none",
    fallback: WORST_MOMENTS,
    min: 0,
    max: WORST_MOMENTS,
  }),
  retention: integer({
    flags: "--retention <days>",
    help: "days after which a finished job is deleted, with its result and frames",
    fallback: 30,
    min: 1,
    max: 36_500,
  }),
  scoreTimeout: integer({
    flags: "--score-timeout <seconds>",
    help: "longest time that POST /v1/score waits for its result, in seconds; its job goes on after that",
    fallback: 3600,
    min: 1,
    max: 7 * DAY_SECONDS,
  }),
  ...LIMIT_SETTINGS,
  ...AUDIT_SETTINGS,
  ...REST_SETTINGS,
} as const;

export const PRINT_ADDRESSES = toggle({
  flags: "--print-addresses",
  help: "print the addresses as one line of JSON on stdout once all listen: rest (http://HOST:PORT, with TLS https://), grpc (HOST:PORT), metrics",
});

export const CONTROLLER_SETTINGS = {
  host: text({
    flags: "--host <address>",
    help: "address to listen on",
    shownDefault: "0.0.0.0; 127.0.0.1 while authentication is disabled",
  }),
  ...CONTROL_SETTINGS,
  mediaRoot: JOB_MEDIA_ROOT,
  databaseUrl: text({
    flags: "--database-url <url>",
    help: "PostgreSQL database, postgres://USER:PASSWORD@HOST:PORT/NAME, in place of the embedded one",
    shownDefault: "the embedded database",
  }),
  ...SERVER_TLS_SETTINGS,
  ...AUTH_SETTINGS,
  ...CONSOLE_SETTINGS,
  fleetTenant: text({
    flags: "--fleet-tenant <tenant>",
    help: "tenant whose nodes serve all tenants",
    shownDefault: "none; dev while authentication is disabled",
  }),
  drainTimeout: integer({
    flags: "--drain-timeout <seconds>",
    help: "longest time that requests under way get to finish when the controller is told to stop, in seconds",
    fallback: 10,
    min: 0,
    max: DAY_SECONDS,
  }),
  ...LOG_SETTINGS,
  ...TRACING_SETTINGS,
  printAddresses: PRINT_ADDRESSES,
} as const;

export type ControlSettings = SettingValues<typeof CONTROL_SETTINGS>;
export type ControllerSettings = SettingValues<typeof CONTROLLER_SETTINGS>;

/** Refuses what can be seen to be wrong before anything starts. */
export function checkControllerSettings(settings: ControllerSettings): void {
  const { dataDir, databaseUrl } = settings;
  planAuth(settings);
  tlsFiles(settings);
  checkConsoleSettings(settings);
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new UsageError("--data-dir and --database-url are both given. Give the one that holds the jobs.");
  }
}
