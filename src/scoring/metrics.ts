/** Metrics of the scoring service. Labels contain no paths, names or ids, so that their cardinality is bounded. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Seconds; from a short clip to a feature film. */
const DURATION_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200];

export class ScoringMetrics {
  /** Scores by result: OK or the failure's code; includes refused requests. */
  readonly scores: Counter<"code">;
  /** Seconds of the scores that were started. */
  readonly duration: Histogram<"code">;
  readonly frames: Counter;
  readonly running: Gauge;
  /** Diagnoses by result, as `scores`. */
  readonly diagnoses: Counter<"code">;

  constructor(registry: Registry, limit: number) {
    const registers = [registry];
    this.scores = new Counter({
      name: "svc_scores_total",
      help: "Score requests by result: OK or the code of the failure.",
      labelNames: ["code"],
      registers,
    });
    this.duration = new Histogram({
      name: "svc_score_duration_seconds",
      help: "Time from the start of a score to its end, by result.",
      labelNames: ["code"],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.frames = new Counter({
      name: "svc_score_frames_total",
      help: "Frames of finished scores.",
      registers,
    });
    this.running = new Gauge({
      name: "svc_scores_running",
      help: "Scores and diagnoses currently running.",
      registers,
    });
    new Gauge({ name: "svc_scores_limit", help: "Limit of concurrent scores and diagnoses.", registers }).set(
      limit,
    );
    this.diagnoses = new Counter({
      name: "svc_diagnoses_total",
      help: "Diagnose requests by result: OK or the code of the failure.",
      labelNames: ["code"],
      registers,
    });
    this.scores.inc({ code: "OK" }, 0);
    this.diagnoses.inc({ code: "OK" }, 0);
  }
}
