/** The operations of administrators on their tenant's list of revoked tokens. */
import { create } from "@bufbuild/protobuf";
import {
  LiftRevocationResponseSchema,
  ListRevocationsResponseSchema,
  RevokeTokensResponseSchema,
} from "../../gen/proto/svc/v1/tenant_pb.ts";
import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { Store } from "../../store/contract/store.ts";
import type { TenantOperations } from "../api/operations.ts";
import { revocationMessage } from "../messages/revocation.ts";
import { pageOf, pageSizeOf, readPageToken } from "../requests/page-token.ts";
import { newRevocation } from "../requests/revocation-request.ts";
import type { RevocationFeed } from "./revocation-feed.ts";

/** Maximum entries of a tenant; every controller keeps all of them in memory. */
const MAX_REVOCATIONS = 10_000;
/** Identifies the list in page tokens; it has no filters. */
const LIST = "revocations";

export interface RevocationOptions {
  readonly store: Store;
  /** Follows the list for the gateway; undefined: authentication is disabled. */
  readonly revocations: RevocationFeed | undefined;
  /** Milliseconds that the issuer's clock may be ahead of this machine's. */
  readonly clockSkewMs: number;
}

/** A change takes effect at this controller before its operation returns, at all others within a second. */
export function revocationOperations({
  store,
  revocations: feed,
  clockSkewMs,
}: RevocationOptions): Pick<TenantOperations, "revokeTokens" | "listRevocations" | "liftRevocation"> {
  const { revocations } = store;
  return {
    async revokeTokens(request, { principal: { tenant, subject } }) {
      if (feed === undefined) throw authDisabled();
      const wanted = newRevocation(request, subject, { now: Date.now(), clockSkewMs });
      const outcome = await revocations.revoke(tenant, wanted, MAX_REVOCATIONS);
      if (outcome === "FULL") throw tooMany();
      await feed?.refresh();
      const { revocation, existed } = outcome;
      return create(RevokeTokensResponseSchema, { revocation: revocationMessage(revocation), existed });
    },
    async listRevocations({ pageSize, pageToken: token }, { principal }) {
      const size = pageSizeOf(pageSize);
      const rows = await revocations.list(principal.tenant, readPageToken(token, LIST), size + 1);
      const { page, nextPageToken } = pageOf(rows, size, LIST);
      return create(ListRevocationsResponseSchema, {
        revocations: page.map(revocationMessage),
        nextPageToken,
      });
    },
    async liftRevocation({ id }, { principal }) {
      const revocation = isId(id) ? await revocations.lift(principal.tenant, id) : undefined;
      if (revocation === undefined) throw notFound();
      await feed?.refresh();
      return create(LiftRevocationResponseSchema, { revocation: revocationMessage(revocation) });
    },
  };
}

function authDisabled(): Failure {
  return new Failure(
    "AUTH_DISABLED",
    "Authentication is disabled (--auth-disabled), so there are no tokens to revoke.",
  );
}

function tooMany(): Failure {
  return new Failure(
    "TOO_MANY_REVOCATIONS",
    `The tenant has reached its limit: ${MAX_REVOCATIONS} revocations, or ${2 * MAX_REVOCATIONS} with those that ended less than a day ago. Lift some, revoke a subject instead of its tokens, or revoke everything issued until now (issuedBefore).`,
  );
}

function notFound(): Failure {
  return new Failure(
    "REVOCATION_NOT_FOUND",
    "The tenant has no such revocation. List its revocations with svc tenants revocations.",
  );
}
