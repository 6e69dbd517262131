/** What is read here of a token that is to be revoked. The token itself stays on this machine. */
import { checkedToken } from "../../client/token.ts";
import { readCredential } from "../../client/token-secret.ts";
import { invalid } from "../../platform/failure.ts";
import { isObject, JsonFault, type JsonObject, parseStrictly } from "../../platform/json.ts";

const MOST_LEVELS = 8;

export interface TokenToRevoke {
  readonly tokenId: string;
  /** Milliseconds since 1970: from then on it is refused by itself. */
  readonly expiresAt: number;
}

/** Reads the token in a file; nobody looks at its signature. Throws INVALID_REQUEST. */
export async function tokenToRevoke(path: string): Promise<TokenToRevoke> {
  const where = `The token in ${JSON.stringify(path)}`;
  const text = checkedToken(await readCredential(path, "--token"), `The file ${JSON.stringify(path)}`);
  const { jti, exp } = claimsOf(text, where);
  if (typeof jti !== "string" || jti === "")
    throw invalid(
      `${where} has no id (jti), so that it cannot be revoked by itself. Revoke its subject (--subject), or what was issued until now (--issued-before now).`,
    );
  if (typeof exp !== "number" || !Number.isSafeInteger(exp))
    throw invalid(`${where} does not say when it expires (exp).`);
  if (exp * 1000 <= Date.now()) throw invalid(`${where} has expired: it is refused already.`);
  return { tokenId: jti, expiresAt: exp * 1000 };
}

function claimsOf(text: string, where: string): JsonObject {
  const [, payload = "", ...rest] = text.split(".");
  try {
    const claims = parseStrictly(Buffer.from(payload, "base64url").toString("utf8"), MOST_LEVELS);
    if (rest.length === 1 && isObject(claims)) return claims;
  } catch (thrown) {
    // The cause would quote the token.
    if (!(thrown instanceof JsonFault)) throw thrown;
  }
  throw invalid(`${where} is no signed JWT, of which the id could be read. Give its id with --token-id.`);
}
