/**
 * The log: one line per event on stderr, as JSON or as text. It is written synchronously, so that the last lines before
 * an exit are never lost.
 */
import pino from "pino";
import { escapeForLog } from "./escape-log.ts";
import { traceFacts } from "./span.ts";

export type Log = pino.Logger;
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export const LOG_FORMATS = ["json", "text"] as const;

export interface LogOptions {
  readonly level: (typeof LOG_LEVELS)[number];
  readonly format: (typeof LOG_FORMATS)[number];
}

const STDERR = 2;

export function openLog(options: LogOptions): Log {
  const stderr = pino.destination({ fd: STDERR, sync: true });
  // If the reader of the log disappears, the service must keep running.
  stderr.on("error", () => {});
  const stream =
    options.format === "json" ? stderr : { write: (line: string) => stderr.write(textLine(line)) };
  return pino(
    {
      level: options.level,
      base: null,
      mixin: traceFacts,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

interface LogEntry {
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  readonly [fact: string]: unknown;
}

/** "06:12:01.123 INFO  score finished  requestId=… score=93.1". Values are JSON, so control characters are escaped. */
export function textLine(json: string): string {
  const { time, level, msg, ...rest }: LogEntry = JSON.parse(json);
  const clock = time.slice(11, 23);
  const facts = Object.entries(rest).map(([key, value]) => `${key}=${factOf(key, value)}`);
  const message = escapeForLog(msg ?? "");
  return `${[clock, level.toUpperCase().padEnd(5), message, ...facts].join(" ")}\n`;
}

function factOf(key: string, value: unknown): string {
  if (key === "err" && typeof value === "object" && value !== null && "stack" in value) {
    return escapeForLog(JSON.stringify(value.stack));
  }
  const plain = typeof value === "string" && /^[\w./:@%+-]+$/.test(value);
  return plain ? value : escapeForLog(JSON.stringify(value));
}
