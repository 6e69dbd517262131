/** Checks a request to revoke tokens. */
import { randomUUID } from "node:crypto";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { MAX_NAME_CHARS } from "../../auth/tokens/claims.ts";
import type { RevokeTokensRequest } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { invalid } from "../../platform/failure.ts";
import type { NewRevocation, RevokedTokens } from "../../store/contract/revocation-store.ts";

const MAX_REASON_CHARS = 256;

/**
 * `subject`: the caller. `now`: milliseconds since the epoch; `clockSkewMs`: how far after it `issuedBefore` may lie.
 * Throws INVALID_REQUEST.
 */
export function newRevocation(
  { what, reason, expireTime }: RevokeTokensRequest,
  subject: string,
  { now, clockSkewMs }: { readonly now: number; readonly clockSkewMs: number },
): NewRevocation {
  const expiresAt = expireTime === undefined ? undefined : instantOf(expireTime, "expireTime");
  if (expiresAt !== undefined && expiresAt.getTime() <= now)
    throw invalid(
      "expireTime is in the past. Use a future time, or none: the revocation then applies until it is lifted.",
    );
  if (!isPlain(reason, 0, MAX_REASON_CHARS))
    throw invalid(
      `reason is not a text of at most ${MAX_REASON_CHARS} characters without control characters.`,
    );
  const revoked = revokedOf(what, now + clockSkewMs);
  return { id: randomUUID(), ...revoked, expiresAt, reason, revokedBy: subject };
}

function revokedOf(what: RevokeTokensRequest["what"], latest: number): Omit<RevokedTokens, "expiresAt"> {
  switch (what.case) {
    case "tokenId":
      return { kind: "TOKEN_ID", value: nameOf(what.value, "tokenId"), issuedBefore: undefined };
    case "subject":
      return { kind: "SUBJECT", value: nameOf(what.value, "subject"), issuedBefore: undefined };
    case "issuedBefore":
      return { kind: "ISSUED_BEFORE", value: "", issuedBefore: pastOf(what.value, latest) };
    default:
      throw invalid(
        "The request does not say what to revoke. Give one of tokenId, subject and issuedBefore.",
      );
  }
}

/** Checks a name with the rule that the gateway applies to tokens; any other name could match none. */
function nameOf(value: string, member: string): string {
  if (isPlain(value, 1, MAX_NAME_CHARS)) return value;
  throw invalid(`${member} is not a text of 1 to ${MAX_NAME_CHARS} characters without control characters.`);
}

function pastOf(value: Timestamp, latest: number): Date {
  const instant = instantOf(value, "issuedBefore");
  if (instant.getTime() <= latest) return instant;
  throw invalid("issuedBefore is in the future; it would reject tokens that are not issued yet.");
}

/** Milliseconds, rounded up, so that tokens issued within the last one are included. */
function instantOf(value: Timestamp, member: string): Date {
  const whole = timestampMs({ ...value, nanos: 0 });
  const ms = whole + Math.ceil(value.nanos / 1e6);
  if (ms >= 0 && ms <= LATEST) return new Date(ms);
  throw invalid(`${member} is not a time from 1970 to 9999.`);
}

const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function isPlain(text: string, least: number, most: number): boolean {
  return text.length >= least && text.length <= most && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
