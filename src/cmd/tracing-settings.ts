/** Settings of tracing, the same for every process that serves. */

import { HELP_GROUPS } from "../platform/help-page.ts";
import { isLoopback } from "../platform/loopback.ts";
import { inGroup, type Setting, type SettingValues, UsageError } from "../platform/setting.ts";

const endpoint: Setting<string | undefined> = {
  flags: "--otlp-endpoint <url>",
  help: "OpenTelemetry collector that gets traces, OTLP over HTTP, such as http://127.0.0.1:4318",
  shownDefault: "none: no traces",
  fallback: undefined,
  parse: tracesUrl,
};

const sample: Setting<number> = {
  flags: "--trace-sample <share>",
  help: "share of the traces that begin here which are recorded, from 0 to 1; others follow their caller",
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

/** Where traces go below a collector's address, unless the address says so itself. */
function tracesUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) throw new Error("is no http or https URL");
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(TRACES_PATH) ? path : `${path}${TRACES_PATH}`;
  return url.href;
}

/**
 * Throws UsageError for an address that holds what may be a credential. Apart from reading it, because what
 * cannot be read is shown.
 */
export function refuseCredentials(url: string): void {
  const { username, password, search, hash } = new URL(url);
  if (username + password + search + hash === "") return;
  throw new UsageError(
    "--otlp-endpoint: the URL holds a user, a password, a query or a #fragment. Give credentials in OTEL_EXPORTER_OTLP_HEADERS.",
  );
}

/** Whether what is sent there can be read on the way. */
export function isOpenWay(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !isLoopback(hostname);
}

/** Names and values as OpenTelemetry's variables list them: `name=value,…`, values percent-encoded. Throws UsageError. */
export function listedPairs(variable: string, text: string): Record<string, string> {
  const pairs = text.split(",").filter((part) => part.trim() !== "");
  return Object.fromEntries(
    pairs.map((part, index) => {
      const [, name, value] = /^\s*([!#$%&'*+\-.^_`|~\w]+)\s*=(.*)$/s.exec(part) ?? [];
      const decoded = value === undefined ? undefined : decode(value.trim());
      // The text is not shown: it may hold credentials.
      if (name === undefined || decoded === undefined || /[\0\r\n]/.test(decoded))
        throw new UsageError(
          `${variable}: its part ${index + 1} is not name=value, with the value percent-encoded.`,
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
