/**
 * Parses one tenant: an entry of the tenants file, or the `spec` of an SvcTenant in a cluster. An entry is checked
 * completely and refused as a whole, so that all its faults are reported at once.
 */
import { isModelList, MODEL_LIST_RULE } from "../../jobs/default-models.ts";
import {
  FINDING_ACTIONS,
  FINDING_CODES,
  type FindingAction,
  type FindingsPolicy,
} from "../../jobs/findings-policy.ts";
import { LIMIT_NAMES, LIMIT_RULES, type LimitRule, type Limits } from "../../jobs/limits.ts";
import { isObject } from "../../platform/json.ts";
import { endpointFault } from "../keys/fetch.ts";
import { ROLES, type Role } from "../principal.ts";
import { MAX_NAME_CHARS } from "../tokens/claims.ts";
import type { Realm, Tenant } from "./realm.ts";

const URL_MOST = 2048;
const ENTRY_MEMBERS = ["tenantId", "enabled", "oidc", "rbac", "limits", "defaultModels", "findings"];
export const DEFAULT_TENANT_CLAIM = "tid";
export const DEFAULT_ROLES_CLAIM = "svc_roles";

export interface EntryRules {
  /** Allows plain http for key set endpoints on any host, not only on loopback. */
  readonly allowHttp: boolean;
}

/** A fault of an entry. */
export interface EntryFault {
  /** Path of the member, such as "oidc.issuer"; empty for the entry itself. */
  readonly member: string;
  /** What is wrong and what to do; completes a sentence that begins with the member. */
  readonly text: string;
}

/** A realm whose tokens may name only one tenant. */
export type TenantRealm = Realm & { readonly tenant: Tenant };

export type EntryOutcome =
  | { readonly realm: TenantRealm; readonly faults?: never }
  | { readonly realm?: never; readonly faults: readonly EntryFault[] };

/** Parses an entry from the value of a YAML or JSON parser. Never throws: faults are in `faults`. */
export function readEntry(value: unknown, { allowHttp }: EntryRules): EntryOutcome {
  const faults: EntryFault[] = [];
  const entry = Members.of(value, "", ENTRY_MEMBERS, faults);
  if (entry === undefined) return { faults };
  const id = entry.name("tenantId", "Give the tenant id that its tokens contain");
  const enabled = entry.has("enabled") ? entry.flag("enabled") : true;
  const oidc = entry.section("oidc", ["issuer", "jwksEndpoint", "audience", "tenantClaim", "rolesClaim"]);
  const rbac = entry.has("rbac") ? entry.section("rbac", ["defaultRole", "allowedRoles"]) : undefined;
  const limits = entry.has("limits") ? readLimits(entry.section("limits", LIMIT_NAMES)) : {};
  const defaultModels = entry.has("defaultModels") ? entry.models("defaultModels") : undefined;
  const findings = entry.has("findings")
    ? readFindings(entry.section("findings", ["action", "codes"]))
    : undefined;
  const tenant = { id, enabled, ...readRoles(rbac), limits, defaultModels, findings };
  const realm = oidc === undefined ? undefined : { ...readProvider(oidc, allowHttp), tenant };
  return realm === undefined || faults.length > 0 ? { faults } : { realm };
}

function readProvider(oidc: Members, allowHttp: boolean): Omit<Realm, "tenant"> {
  const provider = {
    issuer: oidc.url("issuer", "Give the issuer exactly as it is in iss of the provider's tokens"),
    jwksEndpoint: oidc.url("jwksEndpoint", "Give the URL of the provider's key set (its jwks_uri)"),
    audience: oidc.has("audience") ? oidc.name("audience", "Leave it out to accept any audience") : undefined,
    tenantClaim: oidc.has("tenantClaim")
      ? oidc.name("tenantClaim", `Leave it out for ${DEFAULT_TENANT_CLAIM}`)
      : DEFAULT_TENANT_CLAIM,
    rolesClaim: oidc.has("rolesClaim")
      ? oidc.name("rolesClaim", `Leave it out for ${DEFAULT_ROLES_CLAIM}`)
      : DEFAULT_ROLES_CLAIM,
  };
  const reason = provider.jwksEndpoint === "" ? undefined : endpointFault(provider.jwksEndpoint, allowHttp);
  if (reason !== undefined) oidc.refuse("jwksEndpoint", `cannot be used: ${reason}. Use https.`);
  if (provider.tenantClaim !== "" && provider.tenantClaim === provider.rolesClaim)
    oidc.refuse(
      "rolesClaim",
      "is also the tenantClaim, but one is a string and the other a list. Name two different claims.",
    );
  return provider;
}

function readRoles(rbac: Members | undefined): Pick<Tenant, "defaultRole" | "allowedRoles"> {
  const defaultRole = rbac?.has("defaultRole") ? rbac.role("defaultRole") : undefined;
  const allowedRoles = rbac?.has("allowedRoles") ? rbac.roles("allowedRoles") : undefined;
  if (defaultRole !== undefined && allowedRoles !== undefined && !allowedRoles.includes(defaultRole))
    rbac?.refuse("defaultRole", "is not among the allowedRoles. Add it there, or leave it out.");
  return { defaultRole, allowedRoles };
}

function readLimits(limits: Members | undefined): Partial<Limits> {
  const given = LIMIT_NAMES.filter((name) => limits?.has(name));
  return Object.fromEntries(given.map((name) => [name, limits?.limit(name, LIMIT_RULES[name])]));
}

function readFindings(policy: Members | undefined): FindingsPolicy {
  const action = policy?.has("action") ? policy.action("action") : undefined;
  const codes = policy?.has("codes") ? policy.section("codes", FINDING_CODES) : undefined;
  const named = FINDING_CODES.filter((code) => codes?.has(code));
  return {
    ...(action && { action }),
    ...(named.length > 0 && { codes: Object.fromEntries(named.map((code) => [code, codes?.action(code)])) }),
  };
}

/** A string from the operator's file for use in a message: quoted, shortened, and without control characters. */
export function shown(text: string): string {
  const short = text.length > 64 ? `${text.slice(0, 63)}…` : text;
  return JSON.stringify(short.toWellFormed()).replace(
    /\p{C}/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * The members of one object. For an invalid member, a fault is recorded and a placeholder is returned. Nobody uses
 * the placeholder, because the entry is refused.
 */
class Members {
  readonly #own: ReadonlyMap<string, unknown>;
  readonly #path: string;
  readonly #faults: EntryFault[];

  private constructor(own: ReadonlyMap<string, unknown>, path: string, faults: EntryFault[]) {
    this.#own = own;
    this.#path = path;
    this.#faults = faults;
  }

  /** Returns undefined and records a fault if the value is not an object. Records a fault for each unknown member. */
  static of(
    value: unknown,
    path: string,
    known: readonly string[],
    faults: EntryFault[],
  ): Members | undefined {
    if (!isObject(value)) {
      faults.push({ member: path, text: `is not an object. Its members can be: ${known.join(", ")}.` });
      return undefined;
    }
    const members = new Members(new Map(Object.entries(value)), path === "" ? "" : `${path}.`, faults);
    for (const name of members.#own.keys())
      if (!known.includes(name))
        faults.push({
          member: path,
          text: `has an unknown member ${shown(name)}. Its members can be: ${known.join(", ")}.`,
        });
    return members;
  }

  has(name: string): boolean {
    return this.#own.get(name) !== undefined;
  }

  refuse(name: string, text: string): void {
    this.#faults.push({ member: `${this.#path}${name}`, text });
  }

  section(name: string, known: readonly string[]): Members | undefined {
    if (this.has(name)) return Members.of(this.#own.get(name), `${this.#path}${name}`, known, this.#faults);
    this.refuse(name, `is missing. Its members can be: ${known.join(", ")}.`);
    return undefined;
  }

  flag(name: string): boolean {
    const value = this.#own.get(name);
    if (typeof value === "boolean") return value;
    this.refuse(name, "is neither true nor false. Write one of them without quotes.");
    return false;
  }

  /** A string that can be compared with claims of tokens. `advice` has no full stop. */
  name(name: string, advice: string): string {
    const value = this.#own.get(name);
    const fault = this.has(name) ? faultOfName(value) : "is missing";
    if (fault === undefined) return String(value);
    this.refuse(name, `${fault}. ${advice}.`);
    return "";
  }

  url(name: string, advice: string): string {
    const value = this.#own.get(name);
    const fault = this.has(name) ? faultOfUrl(value) : "is missing";
    if (fault === undefined) return String(value);
    this.refuse(name, `${fault}. ${advice}.`);
    return "";
  }

  limit(name: string, { min, max, canBeNone }: LimitRule): number {
    const value = this.#own.get(name);
    if (canBeNone && value === "none") return Number.POSITIVE_INFINITY;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    const none = canBeNone ? ", nor none" : "";
    this.refuse(name, `is not a whole number from ${min} to ${max}${none}. Leave it out for the default.`);
    return min;
  }

  /** Returns undefined and records a fault if the value is not a list of models. */
  models(name: string): readonly string[] | undefined {
    const value = this.#own.get(name);
    if (Array.isArray(value) && isModelList(value)) return value;
    this.refuse(name, `is not a list of ${MODEL_LIST_RULE}. Leave it out for the default.`);
    return undefined;
  }

  /** Returns undefined and records a fault if the value is not an action. */
  action(name: string): FindingAction | undefined {
    const action = FINDING_ACTIONS.find((known) => known === this.#own.get(name));
    if (action === undefined)
      this.refuse(name, `is not an action. The actions are: ${FINDING_ACTIONS.join(", ")}.`);
    return action;
  }

  role(name: string): Role | undefined {
    const role = roleOf(this.#own.get(name));
    if (role === undefined) this.refuse(name, `is not a role. The roles are: ${ROLES.join(", ")}.`);
    return role;
  }

  /** Returns undefined and records a fault if the value is not a list of distinct roles. */
  roles(name: string): readonly Role[] | undefined {
    const value = this.#own.get(name);
    const given: readonly unknown[] = Array.isArray(value) ? value : [];
    const roles = given.map(roleOf).filter((role) => role !== undefined);
    if (given.length > 0 && given.length === new Set(roles).size) return roles;
    const advice = `List each of these once, or leave it out to allow all: ${ROLES.join(", ")}.`;
    this.refuse(name, `is not a list of one or more distinct roles. ${advice}`);
    return undefined;
  }
}

function roleOf(value: unknown): Role | undefined {
  return ROLES.find((role) => role === value);
}

function faultOfName(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not a string (a number needs quotes)";
  if (value === "") return "is empty";
  if (value.length > MAX_NAME_CHARS) return `has more than ${MAX_NAME_CHARS} characters`;
  if (!value.isWellFormed()) return "is not well-formed Unicode";
  return /\p{Cc}/u.test(value) ? "contains control characters" : undefined;
}

/** Checks the text itself, because a URL parser repairs what it reads. */
function faultOfUrl(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not a string";
  if (value.length > URL_MOST) return `has more than ${URL_MOST} characters`;
  if (!/^https?:\/\/[^/]/i.test(value) || /[\s\\\p{C}]/u.test(value) || !URL.canParse(value))
    return "is not an absolute http or https URL";
  if (value.includes("#")) return "has a fragment (#…)";
  return /^[^/]*\/\/[^/?]*@/.test(value) ? "contains credentials (…@)" : undefined;
}
