/** One record of the audit log. */

export type Transport = "grpc" | "http";

export interface AuditRecord {
  /** UUID; makes storing a record twice harmless. */
  readonly id: string;
  /** End of the request; whole milliseconds since 1970, by the controller's clock. */
  readonly timeMs: number;
  readonly requestId: string;
  /** Empty: an action of the controller itself. */
  readonly transport: Transport | "";
  /** Empty without a token with a valid signature. */
  readonly tenant: string;
  readonly subject: string;
  /** Name in api/permissions.yaml; empty if the operation does not exist. "system/…": the controller itself. */
  readonly operation: string;
  /** Ids of jobs, nodes and other objects that the request named or created. */
  readonly targets: readonly string[];
  /** "OK", "STARTED" for the start of a long-running request, or the stable code of the failure. */
  readonly outcome: string;
  /** Peer address of the connection. */
  readonly peer: string;
  /** undefined for events without a duration. */
  readonly durationMs: number | undefined;
  /** Number of decisions in this record; more than 1 in a summary of repeated records. */
  readonly count: number;
  /** Trace of the request; absent: none. Not stored. */
  readonly traceId?: string;
  /** The job filter of a call that changes many jobs. */
  readonly filter?: string;
  /** The number of jobs that such a call changed. */
  readonly jobs?: number;
  /** The requested state already existed; nothing changed. Not written to the log. */
  readonly unchanged?: true;
}

export const OK = "OK";
export const STARTED = "STARTED";

/** Takes records and never throws; it processes them in the background. */
export interface AuditSink {
  take(record: AuditRecord): void;
}
