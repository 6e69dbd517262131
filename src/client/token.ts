/** The bearer token that a client sends. */
import { Failure } from "../platform/failure.ts";
import { readCredential } from "./token-secret.ts";

/** Where a client has its token from. */
export interface TokenSource extends Disposable {
  /** The token to send now. Throws Failure when there is none. */
  get(): Promise<string>;
  /** Told when the controller does not take a token that `get` gave, and whoever calls will ask again. */
  refused(token: string): void;
}

/** The characters of RFC 6750's b64token: anything else cannot be in a header. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Gives the token in a file, read anew each time: who issues tokens replaces the file before the old
 * one expires. White space around it does not count. Throws INVALID_REQUEST.
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

/** A token as it can be sent. `where` begins the sentence that says what is wrong. Throws INVALID_REQUEST. */
export function checkedToken(text: string, where: string): string {
  const token = text.trim();
  if (isToken(token)) return token;
  const what = token === "" ? "is empty" : "holds characters that no bearer token has";
  throw new Failure("INVALID_REQUEST", `${where} ${what}. Give the token alone, as it was issued.`);
}

/** Whether a text can be sent as a bearer token. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}
