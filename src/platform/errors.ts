/** Reads a thrown value, which in JavaScript may be anything. */

/** The `code` of an error from the system ("ENOENT"), Node.js or a library; undefined if it has none. */
export function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  const { code } = thrown;
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}

/** The message of an error; any other value as a string. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
