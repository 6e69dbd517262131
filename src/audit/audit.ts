/** The audit log: what every request was decided, and what the controller did to access by itself. */
import { randomUUID } from "node:crypto";
import { AuditEntry, type Request } from "./entry.ts";
import { type AuditRecord, type AuditSink, OK } from "./record.ts";

/** What the controller does by itself. */
export type SystemOperation =
  | "system/start"
  | "system/stop"
  | "system/tenants-file"
  | "system/tenant-resource"
  | "system/certificate"
  | "system/audit-log";

export interface SystemEvent {
  /** A path, or what else it was about. */
  readonly target?: string;
  /** Default "OK". */
  readonly outcome?: string;
  /** How many; default 1. */
  readonly count?: number;
}

export class Audit {
  readonly #sinks: readonly AuditSink[];

  constructor(sinks: readonly AuditSink[]) {
    this.#sinks = sinks;
  }

  /** A request whose headers are there. Whoever opens the entry closes it. */
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
