/** What is learnt of one request until it ends, when it is told. */
import { randomUUID } from "node:crypto";
import { type AuditRecord, OK, STARTED, type Transport } from "./record.ts";

/** What is known when a request's headers are there. */
export interface Request {
  readonly requestId: string;
  readonly transport: Transport;
  /** As api/permissions.yaml names it; undefined: there is none such. */
  readonly operation: string | undefined;
  readonly peer: string | undefined;
}

/** Who was let in, or would have been: only what a good signature says. */
interface Caller {
  readonly tenant: string;
  readonly subject: string;
}

const NOBODY: Caller = { tenant: "", subject: "" };
/** As many as the jobs that one call stores. */
const MOST_TARGETS = 1_000;
/** As many as a subject or a token's id may have; what a caller says that an id is may be anything. */
const MOST_ID_CHARS = 256;
/** Its caller went before the answer. */
const GONE = "SCORE_CANCELLED";

export class AuditEntry {
  readonly #request: Request;
  readonly #tell: (record: AuditRecord) => void;
  readonly #since = performance.now();
  #caller = NOBODY;
  readonly #targets = new Set<string>();
  #failure: string | undefined;
  #unchanged = false;
  #filter: string | undefined;
  #jobs: number | undefined;
  #traceId: string | undefined;
  /** Calls of the services that have not ended. */
  #held = 0;
  #done = false;
  /** Whether the caller had its answer; undefined: it waits. */
  #answered: boolean | undefined;
  #told = false;
  /** Nothing of it is told. */
  #dropped = false;

  constructor(request: Request, tell: (record: AuditRecord) => void) {
    this.#request = request;
    this.#tell = tell;
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  /** Of a probe, which nobody is asked for, nothing is told: they come all the time. */
  admitted({ tenant, subject }: Caller): void {
    this.#caller = { tenant, subject };
    this.#dropped = tenant === "";
  }

  /** `caller`: who it is that was not let in, where a good signature says it. */
  refused(code: string, caller: Caller | undefined): void {
    this.#caller = caller ?? NOBODY;
    this.failed(code);
  }

  /** The trace that it is part of; undefined: of none. */
  traced(traceId: string | undefined): void {
    this.#traceId = traceId;
  }

  /** The ids that the call named or made; empty ones count for nothing. */
  about(ids: readonly (string | undefined)[]): void {
    for (const id of ids) {
      if (id && this.#targets.size < MOST_TARGETS) this.#targets.add(id.slice(0, MOST_ID_CHARS));
    }
  }

  /** It is about many jobs: those of a filter, of which so many are changed by now. */
  chose(filter: string, jobs: number): void {
    this.#filter = filter;
    this.#jobs = jobs;
  }

  /** It asked for what is so already. */
  changedNothing(): void {
    this.#unchanged = true;
  }

  /** The first failure counts: what follows comes of it. */
  failed(code: string): void {
    this.#failure ??= code;
  }

  /** It lasts, and that it began is told now. */
  started(): void {
    if (!this.#dropped) this.#tell(this.#record(STARTED));
  }

  /**
   * A call of the services begins: whatever its caller does, the entry ends after it, once more when the
   * caller had gone before. Gives what ends it, which is safe twice.
   */
  hold(): (done: boolean) => void {
    this.#held++;
    this.#told = false;
    let holds = true;
    return (done) => {
      if (!holds) return;
      holds = false;
      this.#held--;
      this.#done ||= done;
      this.#end();
    };
  }

  /** The answer has left, or its caller. Safe twice. */
  close(answered: boolean): void {
    this.#answered ??= answered;
    this.#end();
  }

  #end(): void {
    if (this.#told || this.#dropped || this.#held > 0 || this.#answered === undefined) return;
    this.#told = true;
    const outcome = this.#failure ?? (this.#answered || this.#done ? OK : GONE);
    this.#tell(this.#record(outcome));
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
