/** Settings of the log, the same for every process. */

import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { choice, inGroup } from "../../platform/config/setting.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../../platform/observability/log.ts";

export const LOG_SETTINGS = inGroup(HELP_GROUPS.logs, {
  logLevel: choice({
    flags: "--log-level <level>",
    help: `lowest level to log: ${LOG_LEVELS.join(", ")}`,
    fallback: "info",
    of: LOG_LEVELS,
  }),
  logFormat: choice({
    flags: "--log-format <format>",
    help: "format of the log on stderr: json or text",
    shownDefault: "text on a terminal, else json",
    fallback: process.stderr.isTTY ? "text" : "json",
    of: LOG_FORMATS,
  }),
} as const);
