/** What is told of something thrown, which in JavaScript may be anything. */

/** The code that an error carries, of the system ("ENOENT"), of Node.js or of a library; undefined: none. */
export function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  const { code } = thrown;
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}

/** An error's message, or else the thing itself as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
