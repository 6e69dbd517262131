/** Finds fatal errors of the database process in the bytes of the PostgreSQL protocol. */

/** A type byte, and a length that includes itself. */
const HEADER_BYTES = 5;
const ERROR_RESPONSE = "E".charCodeAt(0);
/** Severities after which the process exits; from field "V", which is never localized. */
const ENDS = new Set(["FATAL", "PANIC"]);

/** Returns the message of the fatal error in a response of whole protocol messages; undefined if there is none. */
export function fatalErrorIn(answer: Uint8Array): string | undefined {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (bytes[at] === ERROR_RESPONSE) {
      const fields = fieldsOf(bytes.toString("utf8", at + HEADER_BYTES, end));
      if (ENDS.has(fields.get("V") ?? "")) return fields.get("M") ?? "";
    }
    at = end;
  }
  return undefined;
}

/** Parses the fields of an ErrorResponse: a letter, its text and a zero byte each. */
function fieldsOf(body: string): ReadonlyMap<string, string> {
  return new Map(body.split("\0").map((field) => [field.slice(0, 1), field.slice(1)]));
}
