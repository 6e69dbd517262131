/** What a failed call means: the Failure that the server told, or what became of the connection. */
import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { type Any, anyUnpack, durationMs } from "@bufbuild/protobuf/wkt";
import { type ServiceError, status } from "@grpc/grpc-js";
import {
  type ErrorInfo,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../gen/proto/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../gen/proto/google/rpc/status_pb.ts";
import { Failure, type FailureCode, isFailureCode } from "../platform/failure.ts";
import { TLS_FAILED } from "./tls.ts";

const DOMAIN = "svc";

/**
 * The Failure of a call to `address`. A server's own keeps its code, sentence and facts; a code that
 * this version does not know becomes INTERNAL, with the code as a fact. `signal`: what the caller may
 * have ended the call with.
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

/** Whether a Failure is of a call, and not of this process. */
export function toldByServer(failure: Failure): boolean {
  return isServiceError(failure.cause);
}

/** Whether what answered does not speak HTTP/2, as far as gRPC can say: it was no connection at all. */
export function isProtocolError(thrown: unknown): boolean {
  return (
    isServiceError(thrown) && thrown.code === status.UNAVAILABLE && /Protocol error/.test(thrown.details)
  );
}

/** The failure of a call to an address that speaks HTTP/1.1. */
export function speaksHttp(address: string, cause: unknown): Failure {
  return new Failure(
    "SERVER_UNREACHABLE",
    `${address} speaks HTTP/1.1, not gRPC: it is a REST or metrics port, or another web server. A controller's gRPC port is 9090 by default.`,
    { found: { protocol: "HTTP/1.1" }, cause },
  );
}

/** A status without the server's own code comes from gRPC itself, or from something between. */
function ofStatus(error: ServiceError, address: string): Failure {
  const failure = (code: FailureCode, detail: string) => new Failure(code, detail, { cause: error });
  switch (error.code) {
    case status.UNAVAILABLE:
    // A server that ends with calls open resets them so.
    case status.CANCELLED:
      return failure("SERVER_UNREACHABLE", unreachable(address, error.details));
    case status.DEADLINE_EXCEEDED:
      return failure("SERVER_UNREACHABLE", `${address} did not answer in time.`);
    case status.RESOURCE_EXHAUSTED:
      return failure("REQUEST_TOO_LARGE", `A message is too large, or ${address} too busy: ${error.details}`);
    case status.UNIMPLEMENTED:
      return failure(
        "INTERNAL",
        `${address} does not know this call: it is no svc controller, or another version.`,
      );
    default:
      return failure("INTERNAL", `${address} answered ${status[error.code] ?? error.code}: ${error.details}`);
  }
}

/** What a server says that ends a TLS connection, after it has begun: "certificate required", "unknown ca". */
const TLS_ALERT = /SSL routines:[^:]*:(?:tlsv\d+ |sslv\d+ )?alert ([^:]+):/;

/** `details`: what gRPC says of the last try to connect, when there was one. */
function unreachable(address: string, details: string): string {
  const alert = TLS_ALERT.exec(details)?.[1];
  if (alert !== undefined) return `There is no TLS connection to ${address}: it refused with "${alert}".`;
  const at = details.indexOf(TLS_FAILED);
  if (at < 0) return `${address} cannot be reached, or went away during the call.`;
  const reason = details.slice(at + TLS_FAILED.length).replace(/\. Resolution note:.*$/s, "");
  return `There is no TLS connection to ${address}: ${reason}.`;
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return thrown instanceof Error && "code" in thrown && "details" in thrown && "metadata" in thrown;
}

/** None where a status has none, or cannot be read. */
function detailsOf({ metadata }: ServiceError): readonly Any[] {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Uint8Array)) return [];
  try {
    return fromBinary(StatusSchema, bytes).details;
  } catch {
    return [];
  }
}

/** The first detail of a kind that holds; one that cannot be read is as good as none. */
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

/** undefined where there is none of ours. */
function errorInfoIn(details: readonly Any[]): ErrorInfo | undefined {
  return detailIn(details, ErrorInfoSchema, ({ domain }) => domain === DOMAIN);
}

/** Milliseconds. */
function retryAfterIn(details: readonly Any[]): number | undefined {
  const told = detailIn(details, RetryInfoSchema, ({ retryDelay }) => retryDelay !== undefined);
  return told?.retryDelay && durationMs(told.retryDelay);
}
