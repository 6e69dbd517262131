/** Sets up tracing. Without an endpoint, tracing is off and its modules are not loaded. */
import { randomUUID } from "node:crypto";
import type { Registry } from "prom-client";
import type { Log } from "../../platform/observability/log.ts";
import { PASSING } from "../../platform/observability/span.ts";
import { version } from "../../platform/version.ts";
import type { Tracing } from "../../tracing/tracing.ts";
import {
  isReadableInTransit,
  listedPairs,
  refuseCredentials,
  type TracingSettings,
} from "./tracing-settings.ts";

/** The OpenTelemetry variables that svc supports, once an endpoint is given. */
const HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
const RESOURCE = "OTEL_RESOURCE_ATTRIBUTES";
const SERVICE_NAME = "OTEL_SERVICE_NAME";

/** `name`: "controller", "node", … Throws UsageError if the endpoint or a variable cannot be used. */
export async function openTracing(
  { otlpEndpoint: url, traceSample: ratio }: TracingSettings,
  { name, log, registry }: { readonly name: string; readonly log: Log; readonly registry: Registry },
): Promise<Tracing> {
  if (url === undefined) return { tracer: PASSING, start: () => {}, phases: [] };
  refuseCredentials(url);
  const headers = listedPairs(HEADERS, process.env[HEADERS] ?? "");
  if (Object.keys(headers).length > 0 && isReadableInTransit(url))
    log.warn({ url }, `the headers of ${HEADERS} are sent to the collector unencrypted; use https`);
  const serviceName = process.env[SERVICE_NAME];
  const { openTracing: open } = await import("../../tracing/tracing.ts");
  const tracing = open({
    ...{ url, headers, ratio, registry, log, version: version() },
    resource: {
      "service.namespace": "svc",
      "service.name": `svc-${name}`,
      "service.version": version(),
      "service.instance.id": randomUUID(),
      ...listedPairs(RESOURCE, process.env[RESOURCE] ?? ""),
      ...(serviceName && { "service.name": serviceName }),
    },
  });
  log.info({ url, share: ratio }, "sending traces");
  return tracing;
}
