/** Collects the facts of one request; its record is emitted when the request ends. */
import { randomUUID } from "node:crypto";
import { type AuditRecord, OK, STARTED, type Transport } from "./record.ts";

/** A request as known from its headers. */
export interface Request {
  readonly requestId: string;
  readonly transport: Transport;
  /** Name in api/permissions.yaml; undefined if the operation does not exist. */
  readonly operation: string | undefined;
  readonly peer: string | undefined;
}

/** The authenticated caller, admitted or not. Only from a token with a valid signature. */
interface Caller {
  readonly tenant: string;
  readonly subject: string;
}

const ANONYMOUS: Caller = { tenant: "", subject: "" };
/** The number of jobs that one call can store. */
const MAX_TARGETS = 1_000;
/** The limit for a subject or a token id. An id that a caller sends can have any length. */
const MAX_ID_CHARS = 256;
/** Outcome if the caller disconnected before the response. */
const GONE = "SCORE_CANCELLED";

export class AuditEntry {
  readonly #request: Request;
  readonly #emit: (record: AuditRecord) => void;
  readonly #since = performance.now();
  #caller = ANONYMOUS;
  readonly #targets = new Set<string>();
  #failure: string | undefined;
  #unchanged = false;
  #filter: string | undefined;
  #jobs: number | undefined;
  #traceId: string | undefined;
  /** Service calls in progress. */
  #held = 0;
  #done = false;
  /** Whether the caller received its response; undefined while it waits. */
  #answered: boolean | undefined;
  #emitted = false;
  /** No record is emitted. */
  #dropped = false;

  constructor(request: Request, emit: (record: AuditRecord) => void) {
    this.#request = request;
    this.#emit = emit;
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  /** Probes have no tenant. They are frequent and are not recorded. */
  admitted({ tenant, subject }: Caller): void {
    this.#caller = { tenant, subject };
    this.#dropped = tenant === "";
  }

  /** @param caller the refused caller, if its token has a valid signature. */
  refused(code: string, caller: Caller | undefined): void {
    this.#caller = caller ?? ANONYMOUS;
    this.failed(code);
  }

  /** Sets the trace of the request; undefined: none. */
  traced(traceId: string | undefined): void {
    this.#traceId = traceId;
  }

  /** Adds ids that the call named or created; empty ones are ignored. */
  about(ids: readonly (string | undefined)[]): void {
    for (const id of ids) {
      if (id && this.#targets.size < MAX_TARGETS) this.#targets.add(id.slice(0, MAX_ID_CHARS));
    }
  }

  /** Sets the job filter of the call and the number of jobs changed so far. */
  chose(filter: string, jobs: number): void {
    this.#filter = filter;
    this.#jobs = jobs;
  }

  /** The requested state already existed; nothing changed. */
  changedNothing(): void {
    this.#unchanged = true;
  }

  /** Only the first failure counts; later ones follow from it. */
  failed(code: string): void {
    this.#failure ??= code;
  }

  /** Records the start of a long-running request immediately. */
  started(): void {
    if (!this.#dropped) this.#emit(this.#record(STARTED));
  }

  /**
   * Starts a service call. The entry ends after the call, even if the caller disconnects first; if the entry was
   * already recorded, it is recorded again. Returns a function that ends the call; calling it twice is safe.
   */
  hold(): (done: boolean) => void {
    this.#held++;
    this.#emitted = false;
    let holds = true;
    return (done) => {
      if (!holds) return;
      holds = false;
      this.#held--;
      this.#done ||= done;
      this.#end();
    };
  }

  /** The response was sent (`answered`) or the caller disconnected. Calling it twice is safe. */
  close(answered: boolean): void {
    this.#answered ??= answered;
    this.#end();
  }

  #end(): void {
    if (this.#emitted || this.#dropped || this.#held > 0 || this.#answered === undefined) return;
    this.#emitted = true;
    const outcome = this.#failure ?? (this.#answered || this.#done ? OK : GONE);
    this.#emit(this.#record(outcome));
  }

  #record(outcome: string): AuditRecord {
    const { requestId, transport, operation = "", peer = "" } = this.#request;
    const durationMs = outcome === STARTED ? undefined : Math.round(performance.now() - this.#since);
    return {
      ...{ id: randomUUID(), timeMs: Date.now(), requestId, transport, operation, peer },
      ...{ tenant: this.#caller.tenant, subject: this.#caller.subject },
      ...{ targets: [...this.#targets], outcome, durationMs, count: 1 },
      ...(this.#traceId !== undefined && { traceId: this.#traceId }),
      ...(this.#filter !== undefined && { filter: this.#filter, jobs: this.#jobs ?? 0 }),
      ...(this.#unchanged && { unchanged: true as const }),
    };
  }
}
