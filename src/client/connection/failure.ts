/** Turns the error of a gRPC call into a Failure: the server's own, or a failure of the connection. */
import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { type Any, anyUnpack, durationMs } from "@bufbuild/protobuf/wkt";
import { type ServiceError, status } from "@grpc/grpc-js";
import {
  type ErrorInfo,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../gen/proto/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../gen/proto/google/rpc/status_pb.ts";
import { Failure, type FailureCode, isFailureCode } from "../../platform/failure.ts";
import { TLS_FAILED } from "./tls.ts";

const DOMAIN = "svc";

/**
 * Returns the Failure of a call to `address`. A server's Failure keeps its code, message and facts; a code unknown to
 * this version becomes INTERNAL, with the code as a fact. `signal`: the signal that the caller may have cancelled the
 * call with.
 */
export function failureOf(thrown: unknown, address: string, signal?: AbortSignal): Failure {
  if (!isServiceError(thrown)) return Failure.from(thrown);
  const details = detailsOf(thrown);
  const info = errorInfoIn(details);
  const code = info?.reason ?? "";
  if (info !== undefined && isFailureCode(code))
    return new Failure(code, thrown.details, {
      found: Object.keys(info.metadata).length > 0 ? { ...info.metadata } : undefined,
      retryAfterMs: retryAfterIn(details),
      cause: thrown,
    });
  if (info !== undefined) {
    return new Failure("INTERNAL", thrown.details, { found: { ...info.metadata, code }, cause: thrown });
  }
  if (signal?.aborted) return new Failure("SCORE_CANCELLED", "The call was cancelled.", { cause: thrown });
  return ofStatus(thrown, address);
}

/** Returns whether a Failure comes from a call, not from this process. */
export function isFromServer(failure: Failure): boolean {
  return isServiceError(failure.cause);
}

/** Returns whether gRPC reports a protocol error: the peer does not speak HTTP/2. */
export function isProtocolError(thrown: unknown): boolean {
  return (
    isServiceError(thrown) && thrown.code === status.UNAVAILABLE && /Protocol error/.test(thrown.details)
  );
}

/** Returns the Failure of a call to an address that speaks HTTP/1.1. */
export function speaksHttp(address: string, cause: unknown): Failure {
  return new Failure(
    "SERVER_UNREACHABLE",
    `${address} speaks HTTP/1.1, not gRPC: it is a REST or metrics port, or another web server. A controller's gRPC port is 9090 by default.`,
    { found: { protocol: "HTTP/1.1" }, cause },
  );
}

/** Returns the Failure of a status without the server's own code: it comes from gRPC itself, or from a proxy. */
function ofStatus(error: ServiceError, address: string): Failure {
  const failure = (code: FailureCode, detail: string) => new Failure(code, detail, { cause: error });
  switch (error.code) {
    case status.UNAVAILABLE:
    // A server that shuts down with open calls resets them with this status.
    case status.CANCELLED:
      return failure("SERVER_UNREACHABLE", unreachable(address, error.details));
    case status.DEADLINE_EXCEEDED:
      return failure("SERVER_UNREACHABLE", `${address} did not answer in time.`);
    case status.RESOURCE_EXHAUSTED:
      return failure(
        "REQUEST_TOO_LARGE",
        `A message is too large, or ${address} is overloaded: ${error.details}`,
      );
    case status.UNIMPLEMENTED:
      return failure(
        "INTERNAL",
        `${address} does not support this call: it is not an svc controller, or has another version.`,
      );
    default:
      return failure("INTERNAL", `${address} answered ${status[error.code] ?? error.code}: ${error.details}`);
  }
}

/** The TLS alert with which a server ends a connection: "certificate required", "unknown ca". */
const TLS_ALERT = /SSL routines:[^:]*:(?:tlsv\d+ |sslv\d+ )?alert ([^:]+):/;

/** `details`: gRPC's description of the last connection attempt, if there was one. */
function unreachable(address: string, details: string): string {
  const alert = TLS_ALERT.exec(details)?.[1];
  if (alert !== undefined) return `The TLS connection to ${address} failed: it refused with "${alert}".`;
  const at = details.indexOf(TLS_FAILED);
  if (at < 0) return `${address} cannot be reached, or the connection was lost during the call.`;
  const reason = details.slice(at + TLS_FAILED.length).replace(/\. Resolution note:.*$/s, "");
  return `The TLS connection to ${address} failed: ${reason}.`;
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return thrown instanceof Error && "code" in thrown && "details" in thrown && "metadata" in thrown;
}

/** Returns the status details; none if there are none, or if they can't be parsed. */
function detailsOf({ metadata }: ServiceError): readonly Any[] {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Uint8Array)) return [];
  try {
    return fromBinary(StatusSchema, bytes).details;
  } catch {
    return [];
  }
}

/** Returns the first detail of a type for which `holds` is true; one that can't be parsed is ignored. */
function detailIn<Schema extends DescMessage>(
  details: readonly Any[],
  schema: Schema,
  holds: (detail: MessageShape<Schema>) => boolean,
): MessageShape<Schema> | undefined {
  try {
    const found = details.map((any) => anyUnpack(any, schema));
    return found.find((detail) => detail !== undefined && holds(detail));
  } catch {
    return undefined;
  }
}

/** Returns svc's error info; undefined if there is none. */
function errorInfoIn(details: readonly Any[]): ErrorInfo | undefined {
  return detailIn(details, ErrorInfoSchema, ({ domain }) => domain === DOMAIN);
}

/** Returns the retry delay in milliseconds. */
function retryAfterIn(details: readonly Any[]): number | undefined {
  const info = detailIn(details, RetryInfoSchema, ({ retryDelay }) => retryDelay !== undefined);
  return info?.retryDelay && durationMs(info.retryDelay);
}
