/** Reads the claims needed to revoke a token. The token itself stays on this machine. */

import { readCredential } from "../../client/tokens/secret.ts";
import { checkedToken } from "../../client/tokens/token.ts";
import { invalid } from "../../platform/failure.ts";
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../../platform/json.ts";

const MAX_LEVELS = 8;

export interface TokenToRevoke {
  readonly tokenId: string;
  /** Expiry in milliseconds since 1970; from then on the token is refused anyway. */
  readonly expiresAt: number;
}

/** Reads the token in a file; its signature is not checked. Throws INVALID_REQUEST. */
export async function tokenToRevoke(path: string): Promise<TokenToRevoke> {
  const where = `The token in ${JSON.stringify(path)}`;
  const text = checkedToken(await readCredential(path, "--token"), `The file ${JSON.stringify(path)}`);
  const { jti, exp } = claimsOf(text, where);
  if (typeof jti !== "string" || jti === "")
    throw invalid(
      `${where} has no id (jti), so it cannot be revoked individually. Revoke its subject (--subject), or all tokens issued until now (--issued-before now).`,
    );
  if (typeof exp !== "number" || !Number.isSafeInteger(exp))
    throw invalid(`${where} does not say when it expires (exp).`);
  if (exp * 1000 <= Date.now()) throw invalid(`${where} has expired: it is already refused.`);
  return { tokenId: jti, expiresAt: exp * 1000 };
}

function claimsOf(text: string, where: string): JsonObject {
  const [, payload = "", ...rest] = text.split(".");
  try {
    const claims = parseStrictly(Buffer.from(payload, "base64url").toString("utf8"), MAX_LEVELS);
    if (rest.length === 1 && isObject(claims)) return claims;
  } catch (thrown) {
    // The cause would quote the token.
    if (!(thrown instanceof JsonFault)) throw thrown;
  }
  throw invalid(`${where} isn't a signed JWT, so its id cannot be read. Give the id with --token-id.`);
}
