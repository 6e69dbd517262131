/** Authenticates and authorizes a call when its metadata has arrived, before its message is read. */
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js";
import { type Admitted, admitCaller, type DecisionObserver, type Gate } from "../auth/access/gate.ts";
import { ANONYMOUS } from "../auth/principal.ts";
import { Failure } from "../platform/failure.ts";
import type { Tracer } from "../platform/observability/span.ts";
import { type Arrival, type Arrivals, UNMATCHED } from "./arrivals.ts";
import { entryOf } from "./auditing.ts";
import { statusOf } from "./status.ts";
import { beginSpan, leaveSpan } from "./tracing.ts";

/** The admitted calls, by the metadata that their handlers get. */
const ADMITTED = new WeakMap<Metadata, Admitted>();

/** Passes a call to its handler if the gate admits it; otherwise ends the call with the gate's failure. */
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
        // Nothing would end the span of a call that has already ended.
        if (principal !== ANONYMOUS && path !== UNMATCHED && !isOver) {
          const span = beginSpan(tracer, nameOf(path), metadata, principal);
          entry?.traced(span?.context.traceId);
        }
        if (responseStream && path !== UNMATCHED) entry?.started();
        goOn(metadata);
      };
      admit(gate, path, arrival, entry).then(letThrough).catch(refuse);
    };
    // grpc-js reports its own statuses here too: an unreadable message, an exceeded deadline.
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

async function admit(
  gate: Gate,
  path: string,
  arrival: Arrival,
  observer?: DecisionObserver,
): Promise<Admitted> {
  if (arrival.fault !== undefined) throw arrival.fault;
  const admitted = await admitCaller(gate, operationOf(path), arrival.authorization, observer);
  const { principal } = admitted;
  if (principal !== ANONYMOUS) arrival.identify(principal.tenant);
  return admitted;
}

/** The caller of an admitted call, by its metadata. */
export function admittedOf(metadata: Metadata): Admitted {
  const admitted = ADMITTED.get(metadata);
  if (admitted === undefined) throw new TypeError("the call was not admitted");
  return admitted;
}

/** Name of an operation in the table of permissions; undefined if there is no such method. */
export function operationOf(path: string): string | undefined {
  return path === UNMATCHED ? undefined : nameOf(path);
}

/** Converts a path such as "/svc.v1.JobService/GetJob" to its name in the table of permissions. */
export function nameOf(path: string): string {
  return path.slice(1);
}
