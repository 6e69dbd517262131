/** The controller's metrics. No tenant, name or id in labels: their number is bounded. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { KNOWN_BUILT_IN } from "../engine/models.ts";
import type { JobState, NodeState } from "../jobs/states.ts";
import type { Failure, FailureCode } from "../platform/failure.ts";
import { watchedGauge } from "../platform/metrics.ts";
import type { ClaimedWork, Recorded } from "../store/work-records.ts";
import { storeUp } from "./store-up.ts";

/** Seconds; from a clip of some segments to a film at 60 frames per second. */
const POOLING_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Seconds; from a statement to the limit on one. */
const ROUND_TRIP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30];
/** Seconds; from an idle node that takes a job at once to a queue of a day. */
const WAIT_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];
/** Seconds; from a clip to a film on few nodes. */
const JOB_BUCKETS = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600];
/** VMAF; close together where encodes for people lie, and where they stop seeing a difference. */
const SCORE_BUCKETS = [20, 40, 50, 60, 70, 75, 80, 85, 88, 90, 92, 94, 96, 98, 100];

/**
 * Scores beyond are not observed: nodes of tenants report any, and one of 1e300 would be the sum of all for as long as the
 * controller runs. Models that do not clip give somewhat more than 100.
 */
const MOST_SCORE = 110;

/** Models that are told apart; callers name models, and those of a model directory are any. */
const MODELS = new Set<string>(KNOWN_BUILT_IN);
const OTHER_MODELS = "other";

/** What submissions are refused with that are over a limit of their tenant. */
const SUBMIT_LIMITS: readonly FailureCode[] = ["TENANT_QUEUE_FULL", "TENANT_SUBMIT_RATE"];

/** What is looked at when the metrics are read. */
export interface Gauges {
  /** Tenants' classes of work that can be claimed, as far as this controller knows. */
  readonly ready: () => number;
  /** Pulls that wait for work. */
  readonly waiting: () => number;
  /** Tenants whose work waits because as much of it runs as may. */
  readonly full: () => number;
  readonly streams: () => number;
  /** Nodes that this controller heard of within a lease. */
  readonly nodes: () => Readonly<Partial<Record<NodeState, number>>>;
}

/** Of the result of a job. */
interface Scored {
  readonly score: number;
  readonly model: string;
  readonly frameCount: number;
}

export class ControllerMetrics {
  readonly submitted: Counter;
  readonly ended: Counter<"state">;
  readonly failed: Counter<"code">;
  readonly limited: Counter<"code">;
  readonly claimed: Counter;
  readonly reports: Counter<"report" | "recorded">;
  readonly expired: Counter;
  readonly pooling: Histogram;
  readonly streamsCut: Counter;
  readonly storeUp: Gauge;
  readonly roundTrip: Histogram;
  readonly #wait: Histogram;
  readonly #duration: Histogram;
  readonly #frames: Counter;
  readonly #score: Histogram<"model">;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
    const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter<L>({ name, help, labelNames, registers: [registry] });
    this.submitted = counter("svc_jobs_submitted_total", "Jobs stored.");
    this.ended = counter("svc_jobs_ended_total", "Jobs ended by this controller, by state.", ["state"]);
    this.failed = counter("svc_jobs_failed_total", "Jobs that failed, by the code of their failure.", [
      "code",
    ]);
    this.limited = counter("svc_submits_limited_total", "Submissions refused by a limit of their tenant.", [
      "code",
    ]);
    for (const code of SUBMIT_LIMITS) this.limited.inc({ code }, 0);
    this.claimed = counter("svc_work_claimed_total", "Pieces of work leased to nodes.");
    this.reports = counter(
      "svc_work_reports_total",
      "Reports of nodes, by what they were and what became of them.",
      ["report", "recorded"],
    );
    this.expired = counter("svc_work_expired_total", "Leases that ran out.");
    this.streamsCut = counter("svc_streams_cut_total", "Streams cut off because they were read too slowly.");
    const histogram = <L extends string>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly L[] = [],
    ) => new Histogram<L>({ name, help, buckets, labelNames, registers: [registry] });
    this.pooling = histogram(
      "svc_pooling_duration_seconds",
      "Time to join and pool a job's values.",
      POOLING_BUCKETS,
    );
    this.#wait = histogram(
      "svc_job_wait_seconds",
      "Time from a job's submission to its first lease.",
      WAIT_BUCKETS,
    );
    this.#duration = histogram(
      "svc_job_duration_seconds",
      "Time from a job's first lease to its last report.",
      JOB_BUCKETS,
    );
    this.#frames = counter("svc_job_frames_total", "Frames of jobs that succeeded.");
    this.#score = histogram("svc_job_score", "Pooled scores of jobs that succeeded.", SCORE_BUCKETS, [
      "model",
    ]);
    this.roundTrip = histogram(
      "svc_store_round_trip_seconds",
      "Time of a look at the store's clock, with the wait for a connection.",
      ROUND_TRIP_BUCKETS,
    );
    this.storeUp = storeUp(registry);
    this.storeUp.set(1);
  }

  /** `ageMs`: milliseconds since the list of revoked tokens was last known to be the store's. */
  showRevocations({
    entries,
    ageMs,
  }: {
    readonly entries: () => number;
    readonly ageMs: () => number;
  }): void {
    this.#gauge("svc_revocations", "Entries of the list of revoked tokens, of all tenants.", entries);
    const age = "Seconds since the list of revoked tokens was last known to be the store's.";
    this.#gauge("svc_revocations_age_seconds", age, () => ageMs() / 1000);
  }

  /** Shows what `gauges` says at each reading. */
  show(gauges: Gauges): void {
    const gauge = this.#gauge.bind(this);
    gauge("svc_queue_ready", "Tenants' classes of work that can be claimed.", gauges.ready);
    gauge("svc_pulls_waiting", "Pulls that wait for work.", gauges.waiting);
    gauge("svc_tenants_full", "Tenants of which as many pieces of work run as may.", gauges.full);
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

  #gauge(name: string, help: string, value: () => number): void {
    watchedGauge(this.#registry, name, help, value);
  }

  jobEnded(state: JobState): void {
    this.ended.inc({ state });
  }

  jobFailed(code: FailureCode): void {
    this.jobEnded("FAILED");
    this.failed.inc({ code });
  }

  /** `model`: that of the score. */
  jobSucceeded({ score, model, frameCount }: Scored, durationMs: number): void {
    this.jobEnded("SUCCEEDED");
    if (score >= 0 && score <= MOST_SCORE)
      this.#score.observe({ model: MODELS.has(model) ? model : OTHER_MODELS }, score);
    this.#duration.observe(durationMs / 1000);
    this.#frames.inc(frameCount);
  }

  workClaimed({ beginsJob, jobAgeMs }: ClaimedWork): void {
    this.claimed.inc();
    if (beginsJob) this.#wait.observe(Math.max(0, jobAgeMs) / 1000);
  }

  submitRefused({ code }: Failure): void {
    if (SUBMIT_LIMITS.includes(code)) this.limited.inc({ code });
  }

  reported(report: string, recorded: Recorded): void {
    this.reports.inc({ report, recorded });
  }
}
