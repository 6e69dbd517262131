/** A key that an endpoint replaces by a second one, and a token of each. */
import { NOW_SECONDS, newSigner, type Signer, signToken } from "./tokens.ts";

export const first = newSigner("first");
export const second = newSigner("second");
export const SECOND_MS = 1_000;
/** A token that does not expire while tests change the clock. */
export const long = (signer: Signer): string => signToken(signer, { exp: NOW_SECONDS + 86_400 });
export const oldToken = long(first);
export const newToken = long(second);
