/** The node's metrics. Labels never hold ids, names or paths, so the number of time series is bounded. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Seconds; from a short segment to a whole film. */
const DURATION_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

export class NodeMetrics {
  readonly slots: Gauge;
  readonly running: Gauge;
  readonly connected: Gauge;
  readonly draining: Gauge;
  /** By kind and outcome. */
  readonly items: Counter<"kind" | "outcome">;
  /** Seconds from the start of a task to its outcome. */
  readonly duration: Histogram<"kind">;
  readonly frames: Counter;
  readonly retries: Counter;
  readonly mediaFetched: Counter;
  readonly mediaCached: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.slots = gauge("svc_node_slots", "Tasks that this node runs at a time.");
    this.running = gauge("svc_node_running", "Running tasks.");
    this.connected = gauge("svc_node_connected", "1 while the controller answers, else 0.");
    this.draining = gauge("svc_node_draining", "1 while the node takes no new tasks, else 0.");
    this.items = new Counter({
      name: "svc_node_items_total",
      help: "Tasks by kind and outcome.",
      labelNames: ["kind", "outcome"],
      registers,
    });
    this.duration = new Histogram({
      name: "svc_node_item_duration_seconds",
      help: "Time from the start of a task to its outcome, without its report.",
      labelNames: ["kind"],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.frames = new Counter({
      name: "svc_node_frames_total",
      help: "Frames of segments that were scored and whose report was accepted.",
      registers,
    });
    this.retries = new Counter({
      name: "svc_node_report_retries_total",
      help: "Reports that had to be sent again.",
      registers,
    });
    this.mediaFetched = new Counter({
      name: "svc_node_media_fetched_bytes_total",
      help: "Bytes of videos that were fetched from storages.",
      registers,
    });
    this.mediaCached = gauge("svc_node_media_cache_bytes", "Bytes of videos in the media cache.");
  }
}
