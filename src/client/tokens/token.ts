/** The bearer token that a client sends. */
import { Failure } from "../../platform/failure.ts";
import { readCredential } from "./secret.ts";

/** Provides a client's token. */
export interface TokenSource extends Disposable {
  /** Returns the token to send now. Throws Failure if there is none. */
  get(): Promise<string>;
  /** Reports that the controller refused a token from `get`. The caller will call `get` again. */
  refused(token: string): void;
}

/** The b64token of RFC 6750: other characters are not allowed in the header. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Reads the token from a file each time, because its issuer replaces the file before the token expires. White space
 * around the token is ignored. `get` throws INVALID_REQUEST.
 */
export function tokenFromFile(path: string): TokenSource {
  return {
    async get() {
      return checkedToken(
        await readCredential(path, "--token-file"),
        `The token file ${JSON.stringify(path)}`,
      );
    },
    refused() {},
    [Symbol.dispose]() {},
  };
}

/** Returns a valid token. `where` starts the error message. Throws INVALID_REQUEST. */
export function checkedToken(text: string, where: string): string {
  const token = text.trim();
  if (isToken(token)) return token;
  const what = token === "" ? "is empty" : "contains characters that are invalid in a bearer token";
  throw new Failure("INVALID_REQUEST", `${where} ${what}. It must contain only the token, as issued.`);
}

/** Returns whether a text can be sent as a bearer token. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}
