/** The controller's metrics. No tenant, name or id in labels: their number is bounded. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { JobState, NodeState } from "../jobs/states.ts";
import type { Recorded } from "../store/store.ts";

/** Seconds; from a clip of some segments to a film at 60 frames per second. */
const POOLING_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What is looked at when the metrics are read. */
export interface Gauges {
  /** Tenants' classes of work that can be claimed, as far as this controller knows. */
  readonly ready: () => number;
  /** Pulls that wait for work. */
  readonly waiting: () => number;
  readonly streams: () => number;
  /** Nodes that this controller heard of within a lease. */
  readonly nodes: () => Readonly<Partial<Record<NodeState, number>>>;
}

export class ControllerMetrics {
  readonly submitted: Counter;
  readonly ended: Counter<"state">;
  readonly claimed: Counter;
  readonly reports: Counter<"report" | "recorded">;
  readonly expired: Counter;
  readonly pooling: Histogram;
  readonly streamsCut: Counter;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
    const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter<L>({ name, help, labelNames, registers: [registry] });
    this.submitted = counter("svc_jobs_submitted_total", "Jobs stored.");
    this.ended = counter("svc_jobs_ended_total", "Jobs ended by this controller, by state.", ["state"]);
    this.claimed = counter("svc_work_claimed_total", "Pieces of work leased to nodes.");
    this.reports = counter(
      "svc_work_reports_total",
      "Reports of nodes, by what they were and what became of them.",
      ["report", "recorded"],
    );
    this.expired = counter("svc_work_expired_total", "Leases that ran out.");
    this.streamsCut = counter("svc_streams_cut_total", "Streams cut off because they were read too slowly.");
    this.pooling = new Histogram({
      name: "svc_pooling_duration_seconds",
      help: "Time to join and pool a job's values.",
      buckets: POOLING_BUCKETS,
      registers: [registry],
    });
  }

  /** Shows what `gauges` says at each reading. */
  show(gauges: Gauges): void {
    const gauge = (name: string, help: string, value: () => number): void => {
      const collect = function (this: Gauge): void {
        this.set(value());
      };
      this.#registry.registerMetric(new Gauge({ name, help, registers: [], collect }));
    };
    gauge("svc_queue_ready", "Tenants' classes of work that can be claimed.", gauges.ready);
    gauge("svc_pulls_waiting", "Pulls that wait for work.", gauges.waiting);
    gauge("svc_streams", "Streams of jobs that are open.", gauges.streams);
    const nodes = new Gauge({
      name: "svc_nodes",
      help: "Nodes that this controller heard of within a lease, by state.",
      labelNames: ["state"],
      registers: [],
      collect() {
        const { ONLINE = 0, DRAINING = 0 } = gauges.nodes();
        this.set({ state: "ONLINE" }, ONLINE);
        this.set({ state: "DRAINING" }, DRAINING);
      },
    });
    this.#registry.registerMetric(nodes);
  }

  jobEnded(state: JobState): void {
    this.ended.inc({ state });
  }

  reported(report: string, recorded: Recorded): void {
    this.reports.inc({ report, recorded });
  }
}
