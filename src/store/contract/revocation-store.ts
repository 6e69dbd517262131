/** Revoked tokens in the store. The rules of Store apply. */

export type StoredRevocationKind = "TOKEN_ID" | "SUBJECT" | "ISSUED_BEFORE";

/** The tokens that a revocation rejects. */
export interface RevokedTokens {
  readonly kind: StoredRevocationKind;
  /** The token id or the subject; empty for ISSUED_BEFORE. */
  readonly value: string;
  /** Only for ISSUED_BEFORE. */
  readonly issuedBefore: Date | undefined;
  /** undefined: it is valid until an administrator ends it. */
  readonly expiresAt: Date | undefined;
}

export interface NewRevocation extends RevokedTokens {
  /** UUID. */
  readonly id: string;
  readonly reason: string;
  readonly revokedBy: string;
}

export interface RevocationRow extends NewRevocation {
  readonly createdAt: Date;
}

/** A change of a revoked thing: it was revoked with these values, or its revocation was ended. */
export interface RevocationChange extends RevokedTokens {
  readonly tenant: string;
  readonly lifted: boolean;
}

/** Cursor in a tenant's list, newest first: the last entry of the previous page. */
export interface RevocationCursor {
  /** Microseconds since 1970. */
  readonly atMicros: number;
  readonly id: string;
}

export interface RevocationStore {
  /**
   * Revokes a thing of a tenant. If it is already revoked (`existed`), the later expiry and the later ISSUED_BEFORE
   * instant apply. "FULL": the tenant has `most` entries, or twice as many including ended ones that are not yet
   * deleted.
   */
  revoke(
    tenant: string,
    revocation: NewRevocation,
    most: number,
  ): Promise<{ readonly revocation: RevocationRow; readonly existed: boolean } | "FULL">;
  /** Lists the current revocations of a tenant. */
  list(
    tenant: string,
    after: RevocationCursor | undefined,
    limit: number,
  ): Promise<readonly (RevocationRow & RevocationCursor)[]>;
  /**
   * Ends a revocation. Idempotent until the ended one is deleted. Returns undefined if the tenant has no such
   * revocation.
   */
  lift(tenant: string, id: string): Promise<RevocationRow | undefined>;
  /**
   * Returns up to `limit` changes of all tenants after a revision, in order of revision. `latest`: revision
   * of the last existing change. `reached`: revision of the last returned change, or `latest` without any.
   * `forgotten`: up to this revision, changes that ended a revocation may be missing.
   */
  changes(
    after: number,
    limit: number,
  ): Promise<{
    readonly changes: readonly RevocationChange[];
    readonly reached: number;
    readonly latest: number;
    readonly forgotten: number;
  }>;
  /** Deletes revocations that expired or were ended longer ago. */
  deleteEnded(olderThanMs: number, limit: number): Promise<number>;
}
