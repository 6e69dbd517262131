/** Which tokens are accepted, and what their claims mean. */
import type { FindingsPolicy } from "../../jobs/findings-policy.ts";
import type { Limits } from "../../jobs/limits.ts";
import type { Storage } from "../../jobs/media/storages.ts";
import type { UploadLimitSettings } from "../../jobs/media/upload-limits.ts";
import type { Role } from "../principal.ts";

/** An identity provider as used by one tenant, or by all. */
export interface Realm {
  /** Must equal the token's `iss` exactly. */
  readonly issuer: string;
  /** URL of the provider's key set. */
  readonly jwksEndpoint: string;
  /** Must be the token's `aud` or in it; undefined: `aud` is not checked. */
  readonly audience: string | undefined;
  /** Name of the claim that contains the tenant. */
  readonly tenantClaim: string;
  /** Name of the claim that lists the roles. */
  readonly rolesClaim: string;
  /** The only tenant that its tokens may name; undefined: any. */
  readonly tenant: Tenant | undefined;
}

/** A registered tenant. */
export interface Tenant {
  /** Opaque; compared only for equality. */
  readonly id: string;
  readonly enabled: boolean;
  /** Role of a token that lists none; undefined: such a token has no role. */
  readonly defaultRole: Role | undefined;
  /** Roles that its tokens may grant; undefined: all. */
  readonly allowedRoles: readonly Role[] | undefined;
  /** Its own limits; the defaults apply to the others. */
  readonly limits: Partial<Limits>;
  /** Its own limits for uploads. */
  readonly uploadLimits: Partial<UploadLimitSettings>;
  /** Models of its jobs that name none, that of the main score first; undefined: the controller's. */
  readonly defaultModels: readonly string[] | undefined;
  /** The policy on findings of its jobs that name none; undefined: the controller's. */
  readonly findings: FindingsPolicy | undefined;
  /** The storages whose objects its jobs may name; undefined: the controller's. */
  readonly storages: readonly Storage[] | undefined;
}

/** Returns the current realms: the same list object as before unless one of them has changed. */
export type Realms = () => readonly Realm[];
