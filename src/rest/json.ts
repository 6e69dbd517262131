/** JSON bodies, read strictly: what two readers could take for two different things is refused. */
import { Failure } from "../platform/failure.ts";

/** Requests are two levels deep; anything much deeper is an attack on some parser. */
const MAX_DEPTH = 16;
const UTF8 = new TextDecoder("utf-8", { fatal: true });
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]/g;

export type JsonObject = Record<string, unknown>;

/** The object that a body holds. Members that are null count as absent, as in proto JSON. Throws INVALID_JSON. */
export function parseObject(body: Uint8Array | undefined): JsonObject {
  if (body === undefined || body.length === 0) throw bad("The body is empty. Send a JSON object.");
  const text = decode(body);
  const value = parse(text);
  if (!isObject(value)) throw bad("The body is not a JSON object. Send {…}.");
  checkMembers(text);
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
    return JSON.parse(text);
  } catch (cause) {
    const where = /at position \d+( \(line \d+ column \d+\))?/.exec(String(cause))?.[0] ?? "";
    throw bad(`The body is not valid JSON${where && ` (${where})`}.`, cause);
  }
}

/** Refuses depth and members that stand twice in an object: JSON.parse would keep the last without a word. */
function checkMembers(text: string): void {
  const seen: Set<string>[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") seen.push(new Set());
    else if (token === "}" || token === "]") seen.pop();
    else if (token === ":") addMember(seen.at(-1), String(JSON.parse(last)));
    if (seen.length > MAX_DEPTH) throw bad(`The body is nested more than ${MAX_DEPTH} levels deep.`);
    last = token;
  }
}

function addMember(members: Set<string> | undefined, name: string): void {
  if (members?.has(name))
    throw bad(`The member ${JSON.stringify(name.slice(0, 80))} stands twice in one object.`);
  members?.add(name);
}

function withoutNulls(object: JsonObject): JsonObject {
  const members = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(members.map(([name, value]) => [name, cleaned(value)]));
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return isObject(value) ? withoutNulls(value) : value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function bad(detail: string, cause?: unknown): Failure {
  return new Failure("INVALID_JSON", detail, { cause });
}
