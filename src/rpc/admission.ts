/** Who calls and what for is decided when a call's metadata are there, before its message is read. */
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js";
import { type Admitted, type Gate, letIn, type Witness } from "../auth/gate.ts";
import { NOBODY } from "../auth/principal.ts";
import { Failure } from "../platform/failure.ts";
import type { Tracer } from "../platform/span.ts";
import { type Arrival, type Arrivals, UNMATCHED } from "./arrivals.ts";
import { entryOf } from "./auditing.ts";
import { statusOf } from "./status.ts";
import { beginSpan, leaveSpan } from "./tracing.ts";

/** Of calls that were let in, by the metadata that their handlers get. */
const ADMITTED = new WeakMap<Metadata, Admitted>();

/** Lets a call through to its handler when the gate does, and else ends it with the gate's failure. */
export function admission(gate: Gate, arrivals: () => Arrivals, tracer: Tracer): ServerInterceptor {
  return ({ path, responseStream }, call) => {
    const arrival = arrivals().current;
    let isOver = false;
    let leave: (code: status) => void = () => {};
    const onReceiveMetadata = (metadata: Metadata, goOn: (metadata: Metadata) => void) => {
      const entry = entryOf(metadata);
      const refuse = (thrown: unknown) => {
        const { code } = Failure.from(thrown);
        const sent = statusOf(thrown);
        entry?.failed(code);
        leaveSpan(metadata, sent.code, code);
        call.sendStatus(sent);
      };
      leave = (code) => leaveSpan(metadata, code);
      arrival.onFailure = refuse;
      const letThrough = (admitted: Admitted) => {
        ADMITTED.set(metadata, admitted);
        const { principal } = admitted;
        // Of a call that is over already nobody would end it.
        if (principal !== NOBODY && path !== UNMATCHED && !isOver) {
          const span = beginSpan(tracer, nameOf(path), metadata, principal);
          entry?.traced(span?.context.traceId);
        }
        if (responseStream && path !== UNMATCHED) entry?.started();
        goOn(metadata);
      };
      admit(gate, path, arrival, entry).then(letThrough).catch(refuse);
    };
    // grpc-js's own statuses, of a message that cannot be read or a deadline, are told as this too.
    const onCancel = () => {
      isOver = true;
      leave(status.CANCELLED);
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next(
          new ServerListenerBuilder().withOnReceiveMetadata(onReceiveMetadata).withOnCancel(onCancel).build(),
        ),
      sendStatus: (sent, next) => {
        leave(sent.code);
        next(sent);
      },
    });
  };
}

async function admit(gate: Gate, path: string, arrival: Arrival, witness?: Witness): Promise<Admitted> {
  if (arrival.fault !== undefined) throw arrival.fault;
  const admitted = await letIn(gate, operationOf(path), arrival.authorization, witness);
  const { principal } = admitted;
  if (principal !== NOBODY) arrival.know(principal.tenant);
  return admitted;
}

/** Who sent the metadata of a call that was let in. */
export function admittedOf(metadata: Metadata): Admitted {
  const admitted = ADMITTED.get(metadata);
  if (admitted === undefined) throw new TypeError("a call came in unseen");
  return admitted;
}

/** The operation of a call, as the table of permissions names it; undefined: there is no such method. */
export function operationOf(path: string): string | undefined {
  return path === UNMATCHED ? undefined : nameOf(path);
}

/** "/svc.v1.JobService/GetJob" as the table of permissions names it. */
export function nameOf(path: string): string {
  return path.slice(1);
}
