/** Records gRPC calls in the audit log. */
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js";
import type { Audit } from "../audit/audit.ts";
import type { AuditEntry } from "../audit/entry.ts";
import { requestIdOf } from "./request-id.ts";

/** By the metadata that the following interceptors and handlers get. */
const ENTRIES = new WeakMap<Metadata, AuditEntry>();

/** `operationOf`: name of a path in the table of permissions; undefined if it has none. */
export function auditing(audit: Audit, operationOf: (path: string) => string | undefined): ServerInterceptor {
  return ({ path }, call) => {
    let entry: AuditEntry | undefined;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next(
          new ServerListenerBuilder()
            .withOnReceiveMetadata((metadata, goOn) => {
              const requestId = requestIdOf(metadata);
              const operation = operationOf(path);
              entry = audit.open({ requestId, transport: "grpc", operation, peer: call.getPeer() });
              ENTRIES.set(metadata, entry);
              goOn(metadata);
            })
            .withOnCancel(() => entry?.close(false))
            .build(),
        ),
      sendStatus: (sent, next) => {
        // Statuses without a Failure are grpc-js's own, for example for an unreadable message.
        if (sent.code !== status.OK) entry?.failed(status[sent.code] ?? "UNKNOWN");
        entry?.close(true);
        next(sent);
      },
    });
  };
}

/** Returns the audit entry of a call; undefined: no audit log. */
export function entryOf(metadata: Metadata): AuditEntry | undefined {
  return ENTRIES.get(metadata);
}
