/** What administrators do with their tenant's list of revoked tokens. */
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
} from "../gen/proto/svc/v1/tenant_pb.ts";
import { isId } from "../jobs/ids.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/log.ts";
import type { RevocationStore } from "../store/revocation-store.ts";
import type { Store } from "../store/store.ts";
import { answer } from "./calls.ts";
import type { CallContext, RevocationOperations } from "./operations.ts";
import { pageOf, pageSizeOf, readPageToken } from "./page-token.ts";
import type { RevocationFeed } from "./revocation-feed.ts";
import { revocationMessage } from "./revocation-message.ts";
import { newRevocation } from "./revocation-request.ts";

/** Entries of a tenant: every controller holds all of them. */
const MOST_REVOCATIONS = 10_000;
/** Of page tokens: no filters. */
const LIST = "revocations";

export interface RevocationServiceOptions {
  readonly store: Store;
  readonly log: Log;
  /** What follows the list for the gateway; undefined: nobody is asked for a token. */
  readonly feed: RevocationFeed | undefined;
  /** Milliseconds that a token's clock may be ahead of this machine's. */
  readonly clockSkewMs: number;
}

export class RevocationService implements RevocationOperations {
  readonly #options: RevocationServiceOptions;

  constructor(options: RevocationServiceOptions) {
    this.#options = options;
  }

  revokeTokens(request: RevokeTokensRequest, context: CallContext): Promise<RevokeTokensResponse> {
    const { log, feed, clockSkewMs } = this.#options;
    const { tenant, subject } = context.principal;
    return answer(log, context, async () => {
      if (feed === undefined) throw authDisabled();
      const wanted = newRevocation(request, subject, { now: Date.now(), clockSkewMs });
      const outcome = await this.#revocations.revoke(tenant, wanted, MOST_REVOCATIONS);
      if (outcome === "FULL") throw tooMany();
      await this.#changed(feed);
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
    const { log, feed } = this.#options;
    return answer(log, context, async () => {
      const { tenant } = context.principal;
      const revocation = isId(id) ? await this.#revocations.lift(tenant, id) : undefined;
      if (revocation === undefined) throw notFound();
      await this.#changed(feed);
      return create(LiftRevocationResponseSchema, { revocation: revocationMessage(revocation) });
    });
  }

  get #revocations(): RevocationStore {
    return this.#options.store.revocations;
  }

  /** The others hear of it; this controller acts on it before it answers. */
  async #changed(feed: RevocationFeed | undefined): Promise<void> {
    this.#options.store.announce({ kind: "revocations" });
    await feed?.refresh();
  }
}

function authDisabled(): Failure {
  return new Failure(
    "AUTH_DISABLED",
    "This controller asks nobody for a token (--auth-disabled), so there is none to revoke.",
  );
}

function tooMany(): Failure {
  return new Failure(
    "TOO_MANY_REVOCATIONS",
    `The tenant has ${MOST_REVOCATIONS} revocations, or twice as many with those that are over since less than a day, which is the most. Lift some, revoke a subject in place of its tokens, or everything issued until now (issuedBefore).`,
  );
}

function notFound(): Failure {
  return new Failure(
    "REVOCATION_NOT_FOUND",
    "The tenant has no such revocation. svc tenants revocations shows those that there are.",
  );
}
