/** The settings of `svc server`. */
import { availableParallelism } from "node:os";
import { integer, type SettingValues, toggle } from "../../platform/config/setting.ts";
import { ENGINE_SETTINGS } from "../parts/engine-settings.ts";
import { LOG_SETTINGS } from "../parts/log-settings.ts";
import { HOST_SETTING, PORT_SETTINGS, REST_SETTINGS } from "../parts/serve-settings.ts";
import { TRACING_SETTINGS } from "../parts/tracing-settings.ts";

const DAY_SECONDS = 86_400;

export const SERVER_SETTINGS = {
  ...ENGINE_SETTINGS,
  host: HOST_SETTING,
  ...PORT_SETTINGS,
  concurrency: integer({
    flags: "--concurrency <scores>",
    help: "scores to run at a time; further requests get 429",
    shownDefault: "half the cores, at least 2",
    fallback: Math.max(2, Math.floor(availableParallelism() / 2)),
    min: 1,
    max: 1024,
  }),
  threads: integer({
    flags: "--threads <threads>",
    help: "threads of each score",
    shownDefault: "the number of cores",
    fallback: availableParallelism(),
    min: 1,
    max: 256,
  }),
  scoreTimeout: integer({
    flags: "--score-timeout <seconds>",
    help: "time limit of a score in seconds",
    fallback: 3600,
    min: 1,
    max: 7 * DAY_SECONDS,
  }),
  drainTimeout: integer({
    flags: "--drain-timeout <seconds>",
    help: "seconds for running scores to finish when the server stops",
    fallback: 30,
    min: 0,
    max: DAY_SECONDS,
  }),
  ...REST_SETTINGS,
  ...LOG_SETTINGS,
  ...TRACING_SETTINGS,
  printAddresses: toggle({
    flags: "--print-addresses",
    help: "print the addresses as one line of JSON on stdout once both ports are open: rest (http://HOST:PORT), grpc (HOST:PORT)",
  }),
} as const;

export type ServerSettings = SettingValues<typeof SERVER_SETTINGS>;
