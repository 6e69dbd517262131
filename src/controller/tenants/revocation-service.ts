/** The operations of administrators on their tenant's list of revoked tokens. */
import { create } from "@bufbuild/protobuf";
import {
  type LiftRevocationRequest,
  type LiftRevocationResponse,
  LiftRevocationResponseSchema,
  type ListRevocationsRequest,
  type ListRevocationsResponse,
  ListRevocationsResponseSchema,
  type RevokeTokensRequest,
  type RevokeTokensResponse,
  RevokeTokensResponseSchema,
} from "../../gen/proto/svc/v1/tenant_pb.ts";
import { isId } from "../../jobs/ids.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { RevocationStore } from "../../store/contract/revocation-store.ts";
import type { Store } from "../../store/contract/store.ts";
import { answer } from "../api/call.ts";
import type { CallContext, RevocationOperations } from "../api/operations.ts";
import { revocationMessage } from "../messages/revocation.ts";
import { pageOf, pageSizeOf, readPageToken } from "../requests/page-token.ts";
import { newRevocation } from "../requests/revocation-request.ts";
import type { RevocationFeed } from "./revocation-feed.ts";

/** Maximum entries of a tenant; every controller keeps all of them in memory. */
const MAX_REVOCATIONS = 10_000;
/** Identifies the list in page tokens; it has no filters. */
const LIST = "revocations";

export interface RevocationServiceOptions {
  readonly store: Store;
  readonly log: Log;
  /** Follows the list for the gateway; undefined: authentication is disabled. */
  readonly revocations: RevocationFeed | undefined;
  /** Milliseconds that the issuer's clock may be ahead of this machine's. */
  readonly clockSkewMs: number;
}

export class RevocationService implements RevocationOperations {
  readonly #options: RevocationServiceOptions;

  constructor(options: RevocationServiceOptions) {
    this.#options = options;
  }

  revokeTokens(request: RevokeTokensRequest, context: CallContext): Promise<RevokeTokensResponse> {
    const { log, revocations, clockSkewMs } = this.#options;
    const { tenant, subject } = context.principal;
    return answer(log, context, async () => {
      if (revocations === undefined) throw authDisabled();
      const wanted = newRevocation(request, subject, { now: Date.now(), clockSkewMs });
      const outcome = await this.#revocations.revoke(tenant, wanted, MAX_REVOCATIONS);
      if (outcome === "FULL") throw tooMany();
      await this.#changed(revocations);
      const { revocation, existed } = outcome;
      return create(RevokeTokensResponseSchema, { revocation: revocationMessage(revocation), existed });
    });
  }

  listRevocations(request: ListRevocationsRequest, context: CallContext): Promise<ListRevocationsResponse> {
    const { pageSize, pageToken: token } = request;
    return answer(this.#options.log, context, async () => {
      const size = pageSizeOf(pageSize);
      const { tenant } = context.principal;
      const rows = await this.#revocations.list(tenant, readPageToken(token, LIST), size + 1);
      const { page, nextPageToken } = pageOf(rows, size, LIST);
      return create(ListRevocationsResponseSchema, {
        revocations: page.map(revocationMessage),
        nextPageToken,
      });
    });
  }

  liftRevocation({ id }: LiftRevocationRequest, context: CallContext): Promise<LiftRevocationResponse> {
    const { log, revocations } = this.#options;
    return answer(log, context, async () => {
      const { tenant } = context.principal;
      const revocation = isId(id) ? await this.#revocations.lift(tenant, id) : undefined;
      if (revocation === undefined) throw notFound();
      await this.#changed(revocations);
      return create(LiftRevocationResponseSchema, { revocation: revocationMessage(revocation) });
    });
  }

  get #revocations(): RevocationStore {
    return this.#options.store.revocations;
  }

  /** Notifies the other controllers. This controller applies the change before it answers. */
  async #changed(revocations: RevocationFeed | undefined): Promise<void> {
    this.#options.store.announce({ kind: "revocations" });
    await revocations?.refresh();
  }
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
    `The tenant is at its limit of ${MAX_REVOCATIONS} revocations, or of twice as many including those that ended less than a day ago. Lift some, revoke a subject instead of its tokens, or revoke everything issued until now (issuedBefore).`,
  );
}

function notFound(): Failure {
  return new Failure(
    "REVOCATION_NOT_FOUND",
    "The tenant has no such revocation. List its revocations with svc tenants revocations.",
  );
}
