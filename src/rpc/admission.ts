/** Who calls and what for is decided when a call's metadata are there, before its message is read. */
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import { type Admitted, type Gate, letIn } from "../auth/gate.ts";
import { statusOf } from "./status.ts";

/** Of calls that were let in, by the metadata that their handlers get. */
const ADMITTED = new WeakMap<Metadata, Admitted>();

/** Lets a call through to its handler when the gate does, and else ends it with the gate's failure. */
export function admission(gate: Gate): ServerInterceptor {
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next(
          new ServerListenerBuilder()
            .withOnReceiveMetadata((metadata, goOn) => {
              letIn(gate, operationOf(path), authorizationOf(metadata)).then(
                (admitted) => {
                  ADMITTED.set(metadata, admitted);
                  return goOn(metadata);
                },
                (thrown: unknown) => call.sendStatus(statusOf(thrown)),
              );
            })
            .build(),
        ),
    });
}

/** Who sent the metadata of a call that was let in. */
export function admittedOf(metadata: Metadata): Admitted {
  const admitted = ADMITTED.get(metadata);
  if (admitted === undefined) throw new TypeError("a call came in unseen");
  return admitted;
}

/** "/svc.v1.JobService/GetJob" as the table of permissions names it. */
export function operationOf(path: string): string {
  return path.slice(1);
}

/** The value of `authorization`, of several all as a list; undefined: there is none. */
function authorizationOf(metadata: Metadata): string | undefined {
  const values = metadata.get("authorization");
  return values.length === 0 ? undefined : values.join(", ");
}
