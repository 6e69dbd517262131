/** Records gRPC calls in the metrics. */
import { ServerInterceptingCall, type ServerInterceptor, ServerListenerBuilder, status } from "@grpc/grpc-js";
import { Counter, Histogram, type Registry } from "prom-client";
import { DURATION_BUCKETS } from "../platform/net/transport-limits.ts";

/** Counts calls by method and status. The caller's text is never a label. */
export function observer(registry: Registry): ServerInterceptor {
  const labelNames = ["method", "code"] as const;
  const registers = [registry];
  const total = new Counter({
    name: "svc_grpc_requests_total",
    help: "gRPC calls by method and status.",
    labelNames,
    registers,
  });
  const duration = new Histogram({
    name: "svc_grpc_request_duration_seconds",
    help: "Time from the start of a gRPC call to its status.",
    labelNames,
    buckets: DURATION_BUCKETS,
    registers,
  });
  return ({ path }, call) => {
    const started = performance.now();
    let isRecorded = false;
    const ended = (code: status) => {
      if (isRecorded) return;
      isRecorded = true;
      const labels = { method: path, code: status[code] ?? "UNKNOWN" };
      total.inc(labels);
      duration.observe(labels, (performance.now() - started) / 1000);
    };
    return new ServerInterceptingCall(call, {
      start: (next) => next(new ServerListenerBuilder().withOnCancel(() => ended(status.CANCELLED)).build()),
      sendStatus: (sent, next) => {
        ended(sent.code);
        next(sent);
      },
    });
  };
}
