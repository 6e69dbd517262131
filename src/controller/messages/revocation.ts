/** Converts revocations of the store to protocol messages. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Revocation, RevocationSchema } from "../../gen/proto/svc/v1/tenant_pb.ts";
import type { RevocationRow } from "../../store/contract/revocation-store.ts";

export function revocationMessage(row: RevocationRow): Revocation {
  const { id, reason, revokedBy, createdAt, expiresAt } = row;
  return create(RevocationSchema, {
    ...{ id, reason, revokedBy, what: whatOf(row) },
    createTime: timestampFromDate(createdAt),
    ...(expiresAt && { expireTime: timestampFromDate(expiresAt) }),
  });
}

function whatOf({ kind, value, issuedBefore }: RevocationRow): Revocation["what"] {
  if (kind === "TOKEN_ID") return { case: "tokenId", value };
  if (kind === "SUBJECT") return { case: "subject", value };
  if (issuedBefore === undefined) throw new TypeError("a revocation by issue time has no issuedBefore");
  return { case: "issuedBefore", value: timestampFromDate(issuedBefore) };
}
