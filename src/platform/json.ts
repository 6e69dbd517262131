/** JSON that may come from anybody, read strictly: what two readers could take for two different things is refused. */

const STRINGS_AND_MARKS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]/g;

export type JsonObject = Record<string, unknown>;

/** Why a text is refused, as the end of a sentence: "is not valid JSON". */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
}

/**
 * The value that a JSON text holds. Throws JsonFault on what is no JSON, is nested more than
 * `mostLevels` deep, or names a member twice in one object: JSON.parse keeps the last without a word.
 */
export function parseStrictly(text: string, mostLevels: number): unknown {
  const value = parse(text);
  const seen: Set<string>[] = [];
  let last = "";
  for (const [mark] of text.matchAll(STRINGS_AND_MARKS)) {
    if (mark === "{" || mark === "[") seen.push(new Set());
    else if (mark === "}" || mark === "]") seen.pop();
    else if (mark === ":") addMember(seen.at(-1), String(JSON.parse(last)));
    if (seen.length > mostLevels) throw new JsonFault(`is nested more than ${mostLevels} levels deep`);
    last = mark;
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const where = /at position \d+( \(line \d+ column \d+\))?/.exec(String(cause))?.[0] ?? "";
    throw new JsonFault(`is not valid JSON${where && ` (${where})`}`, { cause });
  }
}

function addMember(members: Set<string> | undefined, name: string): void {
  if (members?.has(name))
    throw new JsonFault(`is ambiguous: ${JSON.stringify(name.slice(0, 80))} stands twice in one object`);
  members?.add(name);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
