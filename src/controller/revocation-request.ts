/** What a caller asks to revoke, checked. */
import { randomUUID } from "node:crypto";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { MOST_NAME_CHARS } from "../auth/claims.ts";
import type { RevokeTokensRequest } from "../gen/proto/svc/v1/tenant_pb.ts";
import { invalid } from "../platform/failure.ts";
import type { NewRevocation, RevokedThing } from "../store/revocation-store.ts";

const MOST_REASON_CHARS = 256;

/**
 * `subject`: who asks. `now`: milliseconds since the epoch; `clockSkewMs`: how far ahead of it `issuedBefore`
 * may be. Throws INVALID_REQUEST.
 */
export function newRevocation(
  { what, reason, expireTime }: RevokeTokensRequest,
  subject: string,
  { now, clockSkewMs }: { readonly now: number; readonly clockSkewMs: number },
): NewRevocation {
  const expiresAt = expireTime === undefined ? undefined : instantOf(expireTime, "expireTime");
  if (expiresAt !== undefined && expiresAt.getTime() <= now)
    throw invalid("expireTime is over. Give a time to come, or none: it then stays until it is lifted.");
  if (!isPlain(reason, 0, MOST_REASON_CHARS))
    throw invalid(
      `reason is not a text of at most ${MOST_REASON_CHARS} characters without control characters.`,
    );
  const thing = thingOf(what, now + clockSkewMs);
  return { id: randomUUID(), ...thing, expiresAt, reason, revokedBy: subject };
}

function thingOf(what: RevokeTokensRequest["what"], latest: number): Omit<RevokedThing, "expiresAt"> {
  switch (what.case) {
    case "tokenId":
      return { kind: "TOKEN_ID", value: nameOf(what.value, "tokenId"), issuedBefore: undefined };
    case "subject":
      return { kind: "SUBJECT", value: nameOf(what.value, "subject"), issuedBefore: undefined };
    case "issuedBefore":
      return { kind: "ISSUED_BEFORE", value: "", issuedBefore: pastOf(what.value, latest) };
    default:
      throw invalid("Nothing is named to revoke. Give one of tokenId, subject and issuedBefore.");
  }
}

/** As the gateway takes it in a token: another one could match none. */
function nameOf(value: string, member: string): string {
  if (isPlain(value, 1, MOST_NAME_CHARS)) return value;
  throw invalid(
    `${member} is not a text of 1 to ${MOST_NAME_CHARS} characters without control characters, as it is in a token.`,
  );
}

function pastOf(value: Timestamp, latest: number): Date {
  const instant = instantOf(value, "issuedBefore");
  if (instant.getTime() <= latest) return instant;
  throw invalid("issuedBefore lies in the future: it would refuse tokens that are yet to be issued.");
}

/** To the millisecond, rounded up: what was issued within it was issued before its end. */
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
