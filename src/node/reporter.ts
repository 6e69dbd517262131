/**
 * Reports outcomes. A finished segment is never lost to an outage: its report is sent again and
 * again until the controller accepts it, or says that the lease is another's by now.
 */
import type { Connection } from "../client/connection.ts";
import { NodeService } from "../gen/proto/svc/v1/node_pb.ts";
import { BackOff } from "../platform/back-off.ts";
import { Failure, type FailureKind } from "../platform/failure.ts";
import { pause } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { Contact } from "./contact.ts";
import type { Lease } from "./lease.ts";
import type { NodeMetrics } from "./metrics.ts";
import type { Outcome } from "./perform.ts";
import { failureReport, HAND_BACK, type Report, reportsOf } from "./report.ts";

/** Milliseconds that a report of almost a megabyte gets on a slow line. */
const REPORT_TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** Times that a report may meet a fault of the controller itself: with the pauses about half a minute. */
const MAX_FAULTS = 8;

/** REFUSED: the lease is another's, or there is none any more. GIVEN_UP: nobody could be told. */
export type Told = "ACCEPTED" | "REFUSED" | "GIVEN_UP";

export interface ReporterParts {
  readonly connection: Connection;
  readonly contact: Contact;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

export class Reporter {
  readonly #parts: ReporterParts;
  /** Cuts off what is being sent, when the node ends at once. */
  readonly #killed = new AbortController();

  constructor(parts: ReporterParts) {
    this.#parts = parts;
  }

  /** Reports an outcome, all its messages; resolves when nothing more can be done for it. */
  async report(lease: Lease, outcome: Exclude<Outcome, { kind: "STOPPED" }>): Promise<Told> {
    try {
      for (const report of reportsOf(outcome)) {
        const told = await this.#send(lease, report, lease.signal);
        if (told !== "ACCEPTED") return told;
      }
      return "ACCEPTED";
    } catch (thrown) {
      return this.#send(lease, failureReport(Failure.from(thrown)), lease.signal);
    }
  }

  /** Gives work back untouched, for as long as the node still lives. */
  handBack(lease: Lease): Promise<Told> {
    return this.#send(lease, HAND_BACK, this.#killed.signal);
  }

  /** Ends every report at once. */
  kill(): void {
    this.#killed.abort();
  }

  /** Sends a report until it is accepted, refused or given up; what the controller finds wrong with it ends it as a failure. */
  async #send(lease: Lease, report: Report, giveUp: AbortSignal): Promise<Told> {
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

  #refused(lease: Lease, { code }: Failure): Told {
    this.#parts.log.info({ ...named(lease), code }, "report refused: the work is another's by now");
    return "REFUSED";
  }

  /** A result that the controller cannot take is a failure of this attempt; that of a failure is the end of it. */
  #wrong(lease: Lease, report: Report, failure: Failure, giveUp: AbortSignal): Promise<Told> {
    const { code, message: detail } = failure;
    this.#parts.log.error(
      { ...named(lease), code, detail, report: report.case },
      "the controller cannot take the report",
    );
    if (report.case === "failure" || report.case === "handBack") return Promise.resolve("GIVEN_UP");
    const told = `The controller could not take the result of a node: ${failure.message}`;
    return this.#send(lease, failureReport(new Failure("INTERNAL", told)), giveUp);
  }

  #givenUp(lease: Lease, failure: Failure): Told {
    this.#parts.log.error({ ...named(lease), code: failure.code, err: failure }, "report given up");
    return "GIVEN_UP";
  }
}

/** What an answer of the controller means for the report. */
const ANSWERS: Readonly<Record<FailureKind, "REFUSED" | "WRONG" | "FAULT" | "LATER">> = {
  conflict: "REFUSED",
  "not-found": "REFUSED",
  invalid: "WRONG",
  "too-large": "WRONG",
  media: "FAULT",
  internal: "FAULT",
  // A token that is not accepted may be replaced.
  unauthenticated: "LATER",
  forbidden: "LATER",
  limit: "LATER",
  cancelled: "LATER",
  deadline: "LATER",
  unavailable: "LATER",
};

/** What the log says of a piece of work. */
export function named({ item, kind }: Lease) {
  const { itemId, jobId, attempt } = item;
  return { jobId, itemId, attempt, kind };
}
