/** Settings of tracing, the same for every process that serves. */

import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { inGroup, type Setting, type SettingValues, UsageError } from "../../platform/config/setting.ts";
import { isLoopback } from "../../platform/net/loopback.ts";

const endpoint: Setting<string | undefined> = {
  flags: "--otlp-endpoint <url>",
  help: "OpenTelemetry collector to send traces to, OTLP over HTTP, for example http://127.0.0.1:4318",
  shownDefault: "none, no traces",
  fallback: undefined,
  parse: tracesUrl,
};

const sample: Setting<number> = {
  flags: "--trace-sample <share>",
  help: "share of new traces to record, from 0 to 1; a trace that a caller began follows the caller's decision",
  shownDefault: "1",
  fallback: 1,
  parse(text) {
    const share = Number(text);
    if (/^\d*\.?\d+$/.test(text) && share <= 1) return share;
    throw new Error("is not a number from 0 to 1");
  },
};

export const TRACING_SETTINGS = inGroup(HELP_GROUPS.logs, {
  otlpEndpoint: endpoint,
  traceSample: sample,
} as const);

export type TracingSettings = SettingValues<typeof TRACING_SETTINGS>;

const TRACES_PATH = "/v1/traces";

/** Appends the path of traces to a collector's URL unless it has one. */
function tracesUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new Error("is not an http or https URL");
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(TRACES_PATH) ? path : `${path}${TRACES_PATH}`;
  return url.href;
}

/**
 * Throws UsageError for a URL that contains what may be a credential. Not part of parsing, because parse errors show
 * the value.
 */
export function refuseCredentials(url: string): void {
  const { username, password, search, hash } = new URL(url);
  if (username + password + search + hash === "") return;
  throw new UsageError(
    "--otlp-endpoint: the URL contains a user name, a password, a query or a #fragment. Put credentials into OTEL_EXPORTER_OTLP_HEADERS.",
  );
}

/** Whether requests to this URL can be read in transit: plain HTTP to another machine. */
export function isReadableInTransit(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !isLoopback(hostname);
}

/** Parses the lists of OpenTelemetry variables: `name=value,…`, values percent-encoded. Throws UsageError. */
export function listedPairs(variable: string, text: string): Record<string, string> {
  const pairs = text.split(",").filter((part) => part.trim() !== "");
  return Object.fromEntries(
    pairs.map((part, index) => {
      const [, name, value] = /^\s*([!#$%&'*+\-.^_`|~\w]+)\s*=(.*)$/s.exec(part) ?? [];
      const decoded = value === undefined ? undefined : decode(value.trim());
      // The text is not shown: it may contain credentials.
      if (name === undefined || decoded === undefined || /[\0\r\n]/.test(decoded))
        throw new UsageError(
          `${variable}: item ${index + 1} is not name=value with a percent-encoded value.`,
        );
      return [name, decoded];
    }),
  );
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
