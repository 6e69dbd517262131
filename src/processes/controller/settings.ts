/** The settings of `svc controller`. */

import { LONGEST_LEASE_MS } from "../../jobs/retry.ts";
import { WORST_MOMENTS } from "../../jobs/scores/moments.ts";
import { integer, type SettingValues, text, toggle, UsageError } from "../../platform/config/setting.ts";
import { LOG_SETTINGS } from "../parts/log-settings.ts";
import { JOB_MEDIA_ROOT } from "../parts/media-settings.ts";
import { PORT_SETTINGS, REST_SETTINGS } from "../parts/serve-settings.ts";
import { SERVER_TLS_SETTINGS, tlsFiles } from "../parts/tls-settings.ts";
import { TRACING_SETTINGS } from "../parts/tracing-settings.ts";
import { AUDIT_SETTINGS } from "./audit-settings.ts";
import { AUTH_SETTINGS, planAuth } from "./auth-settings.ts";
import { CONSOLE_SETTINGS, checkConsoleSettings } from "./console-settings.ts";
import { DEFAULT_MODEL_SETTING } from "./default-models-setting.ts";
import { FINDINGS_SETTING } from "./findings-setting.ts";
import { LIMIT_SETTINGS } from "./limit-settings.ts";
import { RESULTS_STORAGE, STORAGES_FILE } from "./storages-setting.ts";
import { UPLOAD_SETTINGS, UPLOADS } from "./uploads-setting.ts";

const DAY_SECONDS = 86_400;

/** The settings of a controller in any process. */
export const CONTROL_SETTINGS = {
  ...PORT_SETTINGS,
  metricsPort: integer({
    flags: "--metrics-port <port>",
    help: "port of /metrics, which needs no token; 0 picks a free one",
    fallback: 9464,
    min: 0,
    max: 65_535,
  }),
  dataDir: text({
    flags: "--data-dir <dir>",
    help: "directory of the embedded database; only one process can use it",
    shownDefault: "$XDG_STATE_HOME/svc, or ~/.local/state/svc",
  }),
  lease: integer({
    flags: "--lease <seconds>",
    help: "seconds after which the tasks of a silent node are retried",
    fallback: 30,
    min: 1,
    max: LONGEST_LEASE_MS / 1000,
  }),
  segmentSeconds: integer({
    flags: "--segment-seconds <seconds>",
    help: "target length of a task in seconds of video; shorter tasks spread a video over more nodes but add overhead",
    fallback: 10,
    min: 1,
    max: 3600,
  }),
  worstStills: integer({
    flags: "--worst-stills <count>",
    help: "number of worst moments of each job whose stills are made in advance, 10 images for 5 moments; they take most of a job's space in the store. 0 makes none",
    fallback: WORST_MOMENTS,
    min: 0,
    max: WORST_MOMENTS,
  }),
  retention: integer({
    flags: "--retention <days>",
    help: "days to keep a finished job with its result and per-frame scores",
    fallback: 30,
    min: 1,
    max: 36_500,
  }),
  scoreTimeout: integer({
    flags: "--score-timeout <seconds>",
    help: "seconds that POST /v1/score waits for its result; the job continues after that",
    fallback: 3600,
    min: 1,
    max: 7 * DAY_SECONDS,
  }),
  defaultModel: DEFAULT_MODEL_SETTING,
  findings: FINDINGS_SETTING,
  storagesFile: STORAGES_FILE,
  resultsStorage: RESULTS_STORAGE,
  ...LIMIT_SETTINGS,
  ...UPLOAD_SETTINGS,
  ...AUDIT_SETTINGS,
  ...REST_SETTINGS,
} as const;

export const PRINT_ADDRESSES = toggle({
  flags: "--print-addresses",
  help: "print the addresses as one line of JSON on stdout once all ports are open: rest (http://HOST:PORT, with TLS https://), grpc (HOST:PORT), metrics",
});

export const CONTROLLER_SETTINGS = {
  host: text({
    flags: "--host <address>",
    help: "address to listen on",
    shownDefault: "0.0.0.0, or 127.0.0.1 if authentication is disabled",
  }),
  ...CONTROL_SETTINGS,
  mediaRoot: JOB_MEDIA_ROOT,
  probeMedia: toggle({
    flags: "--probe-media",
    help: "read the headers of listed files with ffmpeg, as this user, when callers ask for it",
  }),
  uploads: UPLOADS,
  databaseUrl: text({
    flags: "--database-url <url>",
    help: "PostgreSQL database to use instead of the embedded one: postgres://USER:PASSWORD@HOST:PORT/NAME",
    shownDefault: "the embedded database",
  }),
  ...SERVER_TLS_SETTINGS,
  ...AUTH_SETTINGS,
  ...CONSOLE_SETTINGS,
  fleetTenant: text({
    flags: "--fleet-tenant <tenant>",
    help: "tenant whose nodes serve all tenants",
    shownDefault: "none, or dev if authentication is disabled",
  }),
  drainTimeout: integer({
    flags: "--drain-timeout <seconds>",
    help: "seconds for active requests to finish when the controller stops",
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

/** Throws UsageError for settings that are known to be wrong before anything starts. */
export function checkControllerSettings(settings: ControllerSettings): void {
  const { dataDir, databaseUrl } = settings;
  planAuth(settings);
  tlsFiles(settings);
  checkConsoleSettings(settings);
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new UsageError(
      "--data-dir and --database-url cannot be used together. Give the one with the jobs.",
    );
  }
}
