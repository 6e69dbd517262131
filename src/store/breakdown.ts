/** Errors after which a database process does not go on, found in the bytes of PostgreSQL's protocol. */

/** Type, and a length that counts itself. */
const HEADER_BYTES = 5;
const ERROR_RESPONSE = "E".charCodeAt(0);
/** Severities after which the process ends; of the field "V", which no language changes. */
const ENDS = new Set(["FATAL", "PANIC"]);

/** The message of the error that ended the database, in an answer of whole messages; undefined: there is none. */
export function breakdownIn(answer: Uint8Array): string | undefined {
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

/** Fields of an ErrorResponse: a letter, its text and a zero byte each. */
function fieldsOf(body: string): ReadonlyMap<string, string> {
  return new Map(body.split("\0").map((field) => [field.slice(0, 1), field.slice(1)]));
}
