/** What one line of the audit log says. */

export type Transport = "grpc" | "http";

export interface AuditRecord {
  /** UUID: a record that is stored twice is one. */
  readonly id: string;
  /** When it ended; whole milliseconds since 1970, by the controller's clock. */
  readonly timeMs: number;
  readonly requestId: string;
  /** Empty: no request, the controller itself. */
  readonly transport: Transport | "";
  /** Empty where no good signature says whose the request is. */
  readonly tenant: string;
  readonly subject: string;
  /** As api/permissions.yaml names it; empty: none such was asked for. "system/…": the controller itself. */
  readonly operation: string;
  /** Ids of jobs, nodes and other things that were named or made. */
  readonly targets: readonly string[];
  /** "OK", "STARTED" of what lasts, or the stable code of the failure. */
  readonly outcome: string;
  /** Address of the other end of the connection. */
  readonly peer: string;
  /** undefined: nothing that takes time. */
  readonly durationMs: number | undefined;
  /** How many decisions it stands for: more than 1 where a flood is summed up. */
  readonly count: number;
  /** Of the trace that the request is part of; absent: of none. Not stored. */
  readonly traceId?: string;
  /** Of a call that changes many jobs: which. */
  readonly filter?: string;
  /** Of such a call: how many it changed. */
  readonly jobs?: number;
  /** It asked for what was so already: nothing was changed. Not told. */
  readonly unchanged?: true;
}

export const OK = "OK";
export const STARTED = "STARTED";

/** Takes records and never throws; what it does with them goes on behind. */
export interface AuditSink {
  take(record: AuditRecord): void;
}
