/** The controller's metrics. Labels never hold tenants, names or ids, so the number of time series is bounded. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { BUILT_IN_MODELS } from "../../jobs/models.ts";
import type { JobState, NodeState } from "../../jobs/states.ts";
import type { Failure, FailureCode } from "../../platform/failure.ts";
import { watchedGauge } from "../../platform/observability/metrics.ts";
import type { ClaimedWork, Recorded } from "../../store/contract/task-records.ts";
import { storeUp } from "./store-up.ts";

/** Seconds; from a clip of a few segments to a film at 60 frames per second. */
const POOLING_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Seconds; from one statement to the statement timeout. */
const ROUND_TRIP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30];
/** Seconds; from an idle node that takes the job at once to a backlog of a day. */
const WAIT_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];
/** Seconds; from a clip to a film on few nodes. */
const JOB_BUCKETS = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600];
/** VMAF; dense where encodes for viewers lie, and where viewers stop seeing a difference. */
const SCORE_BUCKETS = [20, 40, 50, 60, 70, 75, 80, 85, 88, 90, 92, 94, 96, 98, 100];

/**
 * Scores above are not observed. Nodes of tenants report any number, and a single 1e300 would dominate the sum for as
 * long as the controller runs. Models that do not clip give somewhat more than 100.
 */
const MAX_SCORE = 110;

/** Models that get their own label. Callers name models, and a model directory may hold any number of them. */
const MODELS = new Set(BUILT_IN_MODELS.map(({ name }) => name));
const OTHER_MODELS = "other";

/** Codes of submissions refused by a limit of their tenant. */
const SUBMIT_LIMITS: readonly FailureCode[] = ["TENANT_QUEUE_FULL", "TENANT_SUBMIT_RATE"];

/** Values that are read at each scrape. */
export interface Gauges {
  /** Claimable pairs of tenant and work class that this controller knows. */
  readonly ready: () => number;
  /** Pulls that wait for a task. */
  readonly waiting: () => number;
  /** Tenants whose tasks wait because the tenant is at its limit of running tasks. */
  readonly full: () => number;
  readonly streams: () => number;
  /** Nodes that contacted this controller within a lease. */
  readonly nodes: () => Readonly<Partial<Record<NodeState, number>>>;
}

/** The facts of a job's result that metrics need. */
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
  readonly segmentsReused: Counter;
  readonly #answered: Counter;
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
    this.claimed = counter("svc_work_claimed_total", "Tasks leased to nodes.");
    this.reports = counter("svc_work_reports_total", "Reports of nodes, by kind and outcome.", [
      "report",
      "recorded",
    ]);
    this.expired = counter("svc_work_expired_total", "Expired leases.");
    this.#answered = counter(
      "svc_jobs_answered_total",
      "Jobs answered at submission with the result of an earlier job.",
    );
    this.segmentsReused = counter(
      "svc_segments_reused_total",
      "Segments that reused the scores of earlier jobs with the same content.",
    );
    this.streamsCut = counter(
      "svc_streams_cut_total",
      "Streams closed because their clients read too slowly.",
    );
    const histogram = <L extends string>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly L[] = [],
    ) => new Histogram<L>({ name, help, buckets, labelNames, registers: [registry] });
    this.pooling = histogram(
      "svc_pooling_duration_seconds",
      "Time to join and pool a job's per-frame scores.",
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
      "Time to read the store's clock, including the wait for a connection.",
      ROUND_TRIP_BUCKETS,
    );
    this.storeUp = storeUp(registry);
    this.storeUp.set(1);
  }

  /** `ageMs`: milliseconds since the list of revoked tokens was last known to match the store. */
  showRevocations({
    entries,
    ageMs,
  }: {
    readonly entries: () => number;
    readonly ageMs: () => number;
  }): void {
    this.#gauge("svc_revocations", "Entries in the list of revoked tokens, all tenants.", entries);
    const age = "Seconds since the list of revoked tokens was last known to match the store.";
    this.#gauge("svc_revocations_age_seconds", age, () => ageMs() / 1000);
  }

  /** Reads `gauges` at each scrape. */
  show(gauges: Gauges): void {
    const gauge = this.#gauge.bind(this);
    gauge("svc_queue_ready", "Claimable pairs of tenant and work class.", gauges.ready);
    gauge("svc_pulls_waiting", "Pulls that wait for a task.", gauges.waiting);
    gauge("svc_tenants_full", "Tenants at their limit of running tasks.", gauges.full);
    gauge("svc_streams", "Open job streams.", gauges.streams);
    const nodes = new Gauge({
      name: "svc_nodes",
      help: "Nodes that contacted this controller within a lease, by state.",
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

  /** `model`: the model of the score. */
  jobSucceeded({ score, model, frameCount }: Scored, durationMs: number): void {
    this.jobEnded("SUCCEEDED");
    if (score >= 0 && score <= MAX_SCORE)
      this.#score.observe({ model: MODELS.has(model) ? model : OTHER_MODELS }, score);
    this.#duration.observe(durationMs / 1000);
    this.#frames.inc(frameCount);
  }

  /** Jobs that got the result of an earlier one. */
  answered(jobs: number): void {
    this.ended.inc({ state: "SUCCEEDED" }, jobs);
    this.#answered.inc(jobs);
  }

  /** Records a job that ended with a diagnosis instead of a score. */
  jobDiagnosed(durationMs: number): void {
    this.jobEnded("SUCCEEDED");
    this.#duration.observe(durationMs / 1000);
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
