/** Records HTTP requests in the metrics and the log. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Counter, Histogram, type Registry } from "prom-client";
import { DURATION_BUCKETS } from "../../platform/net/transport-limits.ts";
import type { Log } from "../../platform/observability/log.ts";
import { inside } from "../../platform/observability/span.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its path in metrics, logs and traces, in the form of the description; default: "unmatched". */
    readonly label?: string;
  }
}

const CLIENT_WENT = "499";

export function observe(app: FastifyInstance, registry: Registry, log: Log): void {
  const labelNames = ["method", "route", "status"] as const;
  const total = new Counter({
    name: "svc_http_requests_total",
    help: "HTTP requests by route and status; 499: the client disconnected before the response.",
    labelNames,
    registers: [registry],
  });
  const duration = new Histogram({
    name: "svc_http_request_duration_seconds",
    help: "Time from receiving the headers of a request to the end of its response.",
    labelNames,
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  // Not Fastify's onResponse, which does not run for clients that disconnect before the response.
  app.addHook("onRequest", async (request, reply) => {
    const started = performance.now();
    reply.raw.once("close", () => {
      const labels = { method: request.method, route: labelOf(request), status: statusOf(reply) };
      const milliseconds = performance.now() - started;
      total.inc(labels);
      duration.observe(labels, milliseconds / 1000);
      const facts = { requestId: request.id, ...labels, durationMs: milliseconds };
      inside(request.span, () => log.debug(facts, "http request"));
    });
  });
}

/** Never the caller's text. */
export function labelOf(request: FastifyRequest): string {
  return request.routeOptions.config.label ?? "unmatched";
}

function statusOf(reply: FastifyReply): string {
  return reply.raw.writableFinished ? String(reply.statusCode) : CLIENT_WENT;
}
