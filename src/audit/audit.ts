/** The audit log: the outcome of every request, and the controller's own actions that affect access. */
import { randomUUID } from "node:crypto";
import { AuditEntry, type Request } from "./entry.ts";
import { type AuditRecord, type AuditSink, OK } from "./record.ts";

/** Actions of the controller itself, which no request asked for. */
export type SystemOperation =
  | "system/start"
  | "system/stop"
  | "system/tenants-file"
  | "system/tenant-resource"
  | "system/certificate"
  | "system/audit-log";

export interface SystemEvent {
  /** The subject of the event, such as a path. */
  readonly target?: string;
  /** Default "OK". */
  readonly outcome?: string;
  /** Number of events; default 1. */
  readonly count?: number;
}

export class Audit {
  readonly #sinks: readonly AuditSink[];

  constructor(sinks: readonly AuditSink[]) {
    this.#sinks = sinks;
  }

  /** Opens the entry of a request once its headers are received. The caller must close it. */
  open(request: Request): AuditEntry {
    return new AuditEntry(request, (record) => this.#take(record));
  }

  system(operation: SystemOperation, event: SystemEvent = {}): void {
    this.#take(systemRecord(operation, event));
  }

  #take(record: AuditRecord): void {
    for (const sink of this.#sinks) sink.take(record);
  }
}

export function systemRecord(operation: SystemOperation, event: SystemEvent): AuditRecord {
  const { target, outcome = OK, count = 1 } = event;
  return {
    ...{ id: randomUUID(), timeMs: Date.now(), requestId: "", transport: "", tenant: "", subject: "" },
    ...{ operation, targets: target === undefined ? [] : [target], outcome, peer: "" },
    ...{ durationMs: undefined, count },
  };
}
