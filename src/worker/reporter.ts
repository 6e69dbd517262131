/**
 * Reports outcomes. An outage never loses a finished segment: its report is repeated until the controller accepts it
 * or answers that the lease is lost.
 */
import type { Connection } from "../client/connection/connection.ts";
import { NodeService } from "../gen/proto/svc/v1/node_pb.ts";
import { BackOff } from "../platform/concurrency/back-off.ts";
import { pause } from "../platform/concurrency/lifecycle.ts";
import { Failure, type FailureKind } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
import type { Contact } from "./contact.ts";
import type { Lease } from "./lease.ts";
import type { NodeMetrics } from "./metrics.ts";
import type { Outcome } from "./perform.ts";
import { failureReport, HAND_BACK, type Report, reportsOf } from "./report.ts";

/** Milliseconds; enough for a report of almost a megabyte on a slow connection. */
const REPORT_TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/**
 * Limit of internal errors of the controller while a report is delivered; about half a minute including
 * pauses.
 */
const MAX_FAULTS = 8;

/** REFUSED: the lease is lost. GIVEN_UP: the report could not be delivered. */
export type ReportOutcome = "ACCEPTED" | "REFUSED" | "GIVEN_UP";

export interface ReporterParts {
  readonly connection: Connection;
  readonly contact: Contact;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

export class Reporter {
  readonly #parts: ReporterParts;
  /** Aborts reports in flight when the node ends at once. */
  readonly #killed = new AbortController();

  constructor(parts: ReporterParts) {
    this.#parts = parts;
  }

  /** Sends all messages of an outcome; resolves when nothing more can be done for it. */
  async report(lease: Lease, outcome: Exclude<Outcome, { kind: "STOPPED" }>): Promise<ReportOutcome> {
    try {
      for (const report of reportsOf(outcome)) {
        const answer = await this.#send(lease, report, lease.signal);
        if (answer !== "ACCEPTED") return answer;
      }
      return "ACCEPTED";
    } catch (thrown) {
      return this.#send(lease, failureReport(Failure.from(thrown)), lease.signal);
    }
  }

  /** Hands a task back unchanged; retries until the node ends. */
  handBack(lease: Lease): Promise<ReportOutcome> {
    return this.#send(lease, HAND_BACK, this.#killed.signal);
  }

  /** Aborts every report at once. */
  kill(): void {
    this.#killed.abort();
  }

  /**
   * Sends a report until it is accepted, refused or aborted. A report that the controller finds invalid ends as a
   * failure.
   */
  async #send(lease: Lease, report: Report, giveUp: AbortSignal): Promise<ReportOutcome> {
    const { connection, contact, metrics } = this.#parts;
    const { session, item } = lease;
    const request = { session, itemId: item.itemId, attempt: item.attempt, report };
    const options = { timeoutMs: REPORT_TIMEOUT_MS, signal: this.#killed.signal };
    const backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    for (let faults = 0; ; metrics.retries.inc()) {
      await contact.untilReached(giveUp);
      if (giveUp.aborted || this.#killed.signal.aborted) return "GIVEN_UP";
      try {
        await connection.call(NodeService.method.reportResult, request, options);
        return "ACCEPTED";
      } catch (thrown) {
        const failure = Failure.from(thrown);
        const answer = ANSWERS[failure.kind];
        if (answer === "REFUSED") return this.#refused(lease, failure);
        if (answer === "WRONG") return this.#wrong(lease, report, failure, giveUp);
        if (answer === "FAULT" && ++faults === MAX_FAULTS) return this.#givenUp(lease, failure);
        if (answer === "LATER" && !this.#killed.signal.aborted) contact.fail(failure);
      }
      await pause(backOff.next(), giveUp);
    }
  }

  #refused(lease: Lease, { code }: Failure): ReportOutcome {
    this.#parts.log.info(
      { ...logFields(lease), code },
      "report refused; this node no longer holds the lease",
    );
    return "REFUSED";
  }

  /** An invalid result becomes a failure of this attempt. An invalid failure report ends the report. */
  #wrong(lease: Lease, report: Report, failure: Failure, giveUp: AbortSignal): Promise<ReportOutcome> {
    const { code, message: detail } = failure;
    this.#parts.log.error(
      { ...logFields(lease), code, detail, report: report.case },
      "the controller rejected the report as invalid",
    );
    if (report.case === "failure" || report.case === "handBack") return Promise.resolve("GIVEN_UP");
    const message = `The controller rejected the result of a node: ${failure.message}`;
    return this.#send(lease, failureReport(new Failure("INTERNAL", message)), giveUp);
  }

  #givenUp(lease: Lease, failure: Failure): ReportOutcome {
    this.#parts.log.error(
      { ...logFields(lease), code: failure.code, err: failure },
      "failed to deliver the report; dropped it",
    );
    return "GIVEN_UP";
  }
}

/** How a report continues after each kind of error of the controller. */
const ANSWERS: Readonly<Record<FailureKind, "REFUSED" | "WRONG" | "FAULT" | "LATER">> = {
  conflict: "REFUSED",
  "not-found": "REFUSED",
  invalid: "WRONG",
  "too-large": "WRONG",
  media: "FAULT",
  internal: "FAULT",
  // A rejected token may be replaced by a valid one.
  unauthenticated: "LATER",
  forbidden: "LATER",
  limit: "LATER",
  cancelled: "LATER",
  deadline: "LATER",
  unavailable: "LATER",
};

/** The log fields of a task. */
export function logFields({ item, kind }: Lease) {
  const { itemId, jobId, attempt } = item;
  return { jobId, itemId, attempt, kind };
}
