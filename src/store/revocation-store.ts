/** The part of the store that keeps which tokens are taken back; what holds for the store holds for it. */

export type StoredRevocationKind = "TOKEN_ID" | "SUBJECT" | "ISSUED_BEFORE";

export interface RevokedThing {
  readonly kind: StoredRevocationKind;
  /** The token's id or the subject; empty for ISSUED_BEFORE. */
  readonly value: string;
  /** Of ISSUED_BEFORE, and of no other. */
  readonly issuedBefore: Date | undefined;
  /** undefined: it stays until it is lifted. */
  readonly expiresAt: Date | undefined;
}

export interface NewRevocation extends RevokedThing {
  /** UUID. */
  readonly id: string;
  readonly reason: string;
  readonly revokedBy: string;
}

export interface RevocationRow extends NewRevocation {
  readonly createdAt: Date;
}

/** What became of a thing: revoked as it says, or lifted. */
export interface RevocationChange extends RevokedThing {
  readonly tenant: string;
  readonly lifted: boolean;
}

/** Place in a tenant's list, newest first: the last entry of the page before. */
export interface RevocationCursor {
  /** Microseconds since 1970. */
  readonly atMicros: number;
  readonly id: string;
}

export interface RevocationStore {
  /**
   * Revokes a thing of a tenant. One that is revoked already stays revoked for as long as either says,
   * and of two ISSUED_BEFORE the later instant counts: `existed`. "FULL": the tenant has `most` entries,
   * or twice as many with those that are over and not deleted yet.
   */
  revoke(
    tenant: string,
    revocation: NewRevocation,
    most: number,
  ): Promise<{ readonly revocation: RevocationRow; readonly existed: boolean } | "FULL">;
  /** What is revoked in a tenant now. */
  list(
    tenant: string,
    after: RevocationCursor | undefined,
    limit: number,
  ): Promise<readonly (RevocationRow & RevocationCursor)[]>;
  /** undefined: no such revocation of this tenant. One that was lifted a short time ago is told again. */
  lift(tenant: string, id: string): Promise<RevocationRow | undefined>;
  /**
   * The changes of all tenants after a revision, in the order of theirs, at most `limit`. `latest`: the
   * revision of the last change that there is. `reached`: that of the last one told, or else `latest`.
   * `forgotten`: what was lifted up to this revision may not be told any more.
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
  /** Deletes what has been over for longer, by expiry or because it was lifted. */
  deleteOver(olderThanMs: number, limit: number): Promise<number>;
}
