/** Whose tokens are taken, and what their claims mean. */
import type { Limits } from "../jobs/limits.ts";
import type { Role } from "./principal.ts";

/** One identity provider as one tenant uses it, or as all do. */
export interface Realm {
  /** Must equal the token's `iss` to the letter. */
  readonly issuer: string;
  /** URL of the provider's key set. */
  readonly jwksEndpoint: string;
  /** Must be the token's `aud`, or one of them; undefined: `aud` is not looked at. */
  readonly audience: string | undefined;
  /** Name of the claim that names the tenant. */
  readonly tenantClaim: string;
  /** Name of the claim that lists the roles. */
  readonly rolesClaim: string;
  /** The one tenant that its tokens can name; undefined: any. */
  readonly tenant: Tenant | undefined;
}

/** What is registered of a tenant. */
export interface Tenant {
  /** Opaque; only equality counts. */
  readonly id: string;
  readonly enabled: boolean;
  /** Role of a token that lists none; undefined: such a token has none. */
  readonly defaultRole: Role | undefined;
  /** Roles that its tokens can give; undefined: all. */
  readonly allowedRoles: readonly Role[] | undefined;
  /** What is said of it; the defaults hold for the rest. */
  readonly limits: Partial<Limits>;
}

/** Gives the realms of now: the same list as before, or another one when any of them has changed. */
export type Realms = () => readonly Realm[];
