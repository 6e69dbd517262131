/** The settings of `svc up`: those of a controller and of a node that make sense for both in one process. */

import { integer, type Setting, type SettingValues, toggle } from "../platform/setting.ts";
import { CONSOLE_SETTING } from "./console-settings.ts";
import { CONTROL_SETTINGS, PRINT_ADDRESSES } from "./controller-settings.ts";
import { LOG_SETTINGS } from "./log-settings.ts";
import { NODE_WORK_SETTINGS } from "./node-settings.ts";
import { TRACING_SETTINGS } from "./tracing-settings.ts";

const DAY_SECONDS = 86_400;

/** undefined: not asked for, so that any port will do. */
const METRICS_PORT: Setting<number | undefined> = {
  ...CONTROL_SETTINGS.metricsPort,
  shownDefault: `${CONTROL_SETTINGS.metricsPort.fallback}, or a free port where another program has that`,
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
  consoleDisabled: CONSOLE_SETTING,
  browserDisabled: toggle({
    flags: "--browser-disabled",
    help: "open no browser; one is opened at the console on a terminal of a desktop alone",
  }),
  drainTimeout: integer({
    flags: "--drain-timeout <seconds>",
    help: "longest time that running work gets to finish when it is told to stop, in seconds; the rest goes on at the next start",
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
