/** Failures as gRPC statuses, with the stable code as a google.rpc.ErrorInfo detail. */
import { create, toBinary } from "@bufbuild/protobuf";
import { type Any, anyPack, durationFromMs } from "@bufbuild/protobuf/wkt";
import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { ErrorInfoSchema, RetryInfoSchema } from "../gen/proto/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../gen/proto/google/rpc/status_pb.ts";
import { Failure, type FailureKind, type Found } from "../platform/failure.ts";
import { isObject } from "../platform/json.ts";
import { RETRY_AFTER_MS } from "../platform/net/transport-limits.ts";

const DOMAIN = "svc";
/** Characters. Statuses are sent as headers, of which clients accept 8 KiB. */
const MAX_FACT = 512;
const MAX_DETAIL = 1024;
/** Bytes of all facts with their names. The facts of two files with a remedy take a third of it. */
const MAX_FACTS_BYTES = 3072;

const CODES: Readonly<Record<FailureKind, status>> = {
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  "too-large": status.RESOURCE_EXHAUSTED,
  "not-found": status.NOT_FOUND,
  conflict: status.FAILED_PRECONDITION,
  // The request is well-formed; it will succeed once the files are fixed.
  media: status.FAILED_PRECONDITION,
  limit: status.RESOURCE_EXHAUSTED,
  cancelled: status.CANCELLED,
  deadline: status.DEADLINE_EXCEEDED,
  unavailable: status.UNAVAILABLE,
  internal: status.INTERNAL,
};

/** Returns the status of any thrown value. */
export function statusOf(thrown: unknown): StatusObject {
  const failure = Failure.from(thrown);
  const code = CODES[failure.kind];
  const message = cut(failure.message, MAX_DETAIL);
  const details = [anyPack(ErrorInfoSchema, errorInfoOf(failure)), ...retryOf(failure)];
  const metadata = new Metadata();
  const bytes = toBinary(StatusSchema, create(StatusSchema, { code, message, details }));
  metadata.set("grpc-status-details-bin", Buffer.from(bytes));
  return { code, details: message, metadata };
}

function errorInfoOf(failure: Failure) {
  const metadata = fitting(flat(failure.found ?? {}));
  return create(ErrorInfoSchema, { reason: failure.code, domain: DOMAIN, metadata });
}

/** The first facts that fit into a status. */
function fitting(facts: Readonly<Record<string, string>>): Record<string, string> {
  let bytes = 0;
  const first = Object.entries(facts).filter(([name, value]) => {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    return bytes <= MAX_FACTS_BYTES;
  });
  return Object.fromEntries(first);
}

function retryOf(failure: Failure): Any[] {
  if (failure.kind !== "limit" && failure.kind !== "unavailable") return [];
  const retryDelay = durationFromMs(Math.ceil(failure.retryAfterMs ?? RETRY_AFTER_MS));
  return [anyPack(RetryInfoSchema, create(RetryInfoSchema, { retryDelay }))];
}

/**
 * Flattens {reference: {frames: 48}} to {referenceFrames: "48"}: ErrorInfo has strings, with lowerCamelCase keys of
 * at most 64 characters.
 */
function flat(found: Found, prefix = ""): Record<string, string> {
  const facts: Record<string, string> = {};
  for (const [name, value] of Object.entries(found)) {
    const key = keyOf(prefix, name);
    if (isObject(value)) Object.assign(facts, flat(value, key));
    else if (value !== undefined) facts[key] = cut(textOf(value), MAX_FACT);
  }
  return facts;
}

/** Replaces half a surrogate pair at the end of the cut: grpc-js would throw an uncaught error. */
function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

function keyOf(prefix: string, name: string): string {
  const joined = prefix === "" ? name : prefix + name.charAt(0).toUpperCase() + name.slice(1);
  return joined.replace(/[^\w-]/g, "_").slice(0, 64);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
