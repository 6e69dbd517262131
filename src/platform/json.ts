/** Parses untrusted JSON strictly: rejects text that two parsers could read differently. */

export type JsonObject = Record<string, unknown>;

/** Why a text was rejected, as the end of a sentence: "is not valid JSON". */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
}

/**
 * Returns the value of a JSON text. Throws JsonFault if it is not valid JSON, is nested more than `mostLevels` deep, or
 * has a duplicate member in an object. JSON.parse would silently keep the last one.
 */
export function parseStrictly(text: string, mostLevels: number): unknown {
  const value = parse(text);
  checkMembers(text, mostLevels);
  return value;
}

/** The text is known to be valid JSON, so only strings need care. */
function checkMembers(text: string, mostLevels: number): void {
  const seen: Set<string>[] = [];
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '"') {
      const end = endOfString(text, at + 1);
      last = text.slice(at, end + 1);
      at = end;
    } else if (mark === "{" || mark === "[") {
      seen.push(new Set());
      if (seen.length > mostLevels) throw new JsonFault(`is nested more than ${mostLevels} levels deep`);
    } else if (mark === "}" || mark === "]") seen.pop();
    else if (mark === ":") addMember(seen.at(-1), last.includes("\\") ? JSON.parse(last) : last.slice(1, -1));
  }
}

/** Index of the closing quote of a string: the first quote after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === "\\") before--;
    if ((end - before) % 2 === 0) return end;
  }
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
  if (members?.has(name)) throw new JsonFault(`has a duplicate member ${JSON.stringify(name.slice(0, 80))}`);
  members?.add(name);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
