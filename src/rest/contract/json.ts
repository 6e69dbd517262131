/** Parses the JSON bodies of requests. */
import { Failure } from "../../platform/failure.ts";
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../../platform/json.ts";

/** Requests have two levels. Much deeper nesting is an attack on a parser. */
const MAX_DEPTH = 16;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Returns the object in a body. Members that are null count as absent, as in proto JSON. Throws INVALID_JSON. */
export function parseObject(body: Uint8Array | undefined): JsonObject {
  if (body === undefined || body.length === 0) throw bad("The body is empty. Send a JSON object.");
  const text = decode(body);
  const value = parse(text);
  if (!isObject(value)) throw bad("The body is not a JSON object. Send {…}.");
  return withoutNulls(value);
}

function decode(body: Uint8Array): string {
  try {
    return UTF8.decode(body);
  } catch (cause) {
    throw bad("The body is not valid UTF-8. Send JSON encoded as UTF-8.", cause);
  }
}

function parse(text: string): unknown {
  try {
    return parseStrictly(text, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw bad(`The body ${error.message}.`, error);
  }
}

function withoutNulls(object: JsonObject): JsonObject {
  const members = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(members.map(([name, value]) => [name, cleaned(value)]));
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return isObject(value) ? withoutNulls(value) : value;
}

function bad(detail: string, cause?: unknown): Failure {
  return new Failure("INVALID_JSON", detail, { cause });
}
