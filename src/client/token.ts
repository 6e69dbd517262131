/** The bearer token that a client sends. */
import { readFile } from "node:fs/promises";
import { Failure } from "../platform/failure.ts";

/** The characters of RFC 6750's b64token: anything else cannot be in a header. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Gives the token in a file, read anew each time: who issues tokens replaces the file before the old
 * one expires. White space around it does not count. Throws INVALID_REQUEST.
 */
export function tokenFromFile(path: string): () => Promise<string> {
  return async () => {
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Failure("INVALID_REQUEST", `--token-file cannot be read: ${why}`, { cause });
    }
    return checkedToken(text, `The token file ${JSON.stringify(path)}`);
  };
}

/** A token as it can be sent. `where` begins the sentence that says what is wrong. Throws INVALID_REQUEST. */
export function checkedToken(text: string, where: string): string {
  const token = text.trim();
  if (TOKEN.test(token)) return token;
  const what = token === "" ? "is empty" : "holds characters that no bearer token has";
  throw new Failure("INVALID_REQUEST", `${where} ${what}. Give the token alone, as it was issued.`);
}
