/** The settings of `svc up`: those of a controller and of a node that apply to both in one process. */

import { integer, type Setting, type SettingValues, toggle } from "../../platform/config/setting.ts";
import { CONSOLE_SETTING, UPLOAD_ORIGINS } from "../controller/console-settings.ts";
import { CONTROL_SETTINGS, PRINT_ADDRESSES } from "../controller/settings.ts";
import { OWN_UPLOADS } from "../controller/uploads-setting.ts";
import { NODE_WORK_SETTINGS } from "../node/settings.ts";
import { LOG_SETTINGS } from "../parts/log-settings.ts";
import { TRACING_SETTINGS } from "../parts/tracing-settings.ts";

const DAY_SECONDS = 86_400;

/** undefined: not given, so any free port may be used. */
const METRICS_PORT: Setting<number | undefined> = {
  ...CONTROL_SETTINGS.metricsPort,
  shownDefault: `${CONTROL_SETTINGS.metricsPort.fallback}, or a free port if that is in use`,
  fallback: undefined,
};

/** The ports to try for /metrics, in this order. */
export function metricsPorts({ metricsPort }: Pick<UpSettings, "metricsPort">): readonly number[] {
  return metricsPort === undefined ? [CONTROL_SETTINGS.metricsPort.fallback, 0] : [metricsPort];
}

export const UP_SETTINGS = {
  ...CONTROL_SETTINGS,
  metricsPort: METRICS_PORT,
  ...NODE_WORK_SETTINGS,
  uploads: OWN_UPLOADS,
  consoleDisabled: CONSOLE_SETTING,
  consoleUploadOrigin: UPLOAD_ORIGINS,
  browserDisabled: toggle({
    flags: "--browser-disabled",
    help: "do not open the console in a browser; it is opened only from a terminal on a desktop",
  }),
  drainTimeout: integer({
    flags: "--drain-timeout <seconds>",
    help: "seconds for running tasks to finish on stop; the rest continues at the next start",
    fallback: 30,
    min: 0,
    max: DAY_SECONDS,
  }),
  ...LOG_SETTINGS,
  ...TRACING_SETTINGS,
  logLevel: {
    ...LOG_SETTINGS.logLevel,
    shownDefault: "warn on a terminal, else info",
    fallback: process.stderr.isTTY ? "warn" : "info",
  },
  printAddresses: PRINT_ADDRESSES,
} as const;

export type UpSettings = SettingValues<typeof UP_SETTINGS>;
