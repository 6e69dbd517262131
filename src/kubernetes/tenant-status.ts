/** The status of a SvcTenant. */
import { isDeepStrictEqual } from "node:util";
import type { KeySetState } from "../auth/keys/key-set.ts";
import { isObject } from "../platform/json.ts";
import type { SecretsState } from "./secret-checks.ts";
import { describe, type ValidationResult } from "./validation-results.ts";

/**
 * Milliseconds by which the time of the last fetch may be outdated if nothing else changed. Keys in use are fetched
 * every 5 minutes, and each update is a write to the cluster's database.
 */
const FETCH_TIME_BEHIND_MS = 600_000;
const MESSAGE_MOST_CHARS = 2_000;

const TYPES = ["Ready", "StoragesReady"] as const;
type ConditionType = (typeof TYPES)[number];

interface Condition {
  readonly type: ConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

export interface TenantStatus {
  readonly observedGeneration: number;
  /** Ready, and StoragesReady if credentials of storages are in Secrets. */
  readonly conditions: readonly [Condition, ...Condition[]];
  readonly keys?: { readonly lastFetchTime: string; readonly outcome: string; readonly count: number };
}

type State = Pick<Condition, "status" | "reason" | "message">;

export interface StatusNow {
  /** Undefined: the keys were not fetched yet. */
  readonly keys: KeySetState | undefined;
  /** Undefined: the tenant uses no Secrets. */
  readonly secrets: SecretsState | undefined;
  /** The current status of the resource, in any form. */
  readonly before: unknown;
  readonly now: Date;
}

/** Returns the status that a resource should have. */
export function statusOf(result: ValidationResult, { keys, secrets, before, now }: StatusNow): TenantStatus {
  const observedGeneration = result.resource.generation;
  const condition = (type: ConditionType, state: State): Condition => {
    const earlier = conditionIn(before, type);
    const kept = earlier?.["status"] === state.status ? earlier["lastTransitionTime"] : undefined;
    const lastTransitionTime = typeof kept === "string" ? kept : secondOf(now);
    return { type, ...state, observedGeneration, lastTransitionTime };
  };
  const ready = condition("Ready", readyOf(result, keys));
  const storages = secrets === undefined ? [] : [condition("StoragesReady", storagesReady(secrets))];
  const shown = result.kind === "accepted" && keys !== undefined && { keys: keysOf(keys, before) };
  return { observedGeneration, conditions: [ready, ...storages], ...shown };
}

/** Whether the resource already has this status. */
export function isWritten(status: TenantStatus, before: unknown): boolean {
  const own = isObject(before) ? before : {};
  return (
    own["observedGeneration"] === status.observedGeneration &&
    TYPES.every((type) => isDeepStrictEqual(conditionIn(own, type), ofType(status.conditions, type))) &&
    isDeepStrictEqual(own["keys"], status.keys)
  );
}

function readyOf(result: ValidationResult, keys: KeySetState | undefined): State {
  switch (result.kind) {
    case "invalid":
      return notReady("Invalid", describe(result).join(" "));
    case "duplicate":
      return notReady("DuplicateTenantId", describe(result).join(" "));
    case "too-many":
      return notReady("TooManyTenants", describe(result).join(" "));
    default:
      return result.realm.tenant.enabled
        ? readyByKeys(keys)
        : notReady("Disabled", "The tenant's tokens are rejected because enabled is false.");
  }
}

function readyByKeys(keys: KeySetState | undefined): State {
  if (keys === undefined)
    return { status: "Unknown", reason: "KeysPending", message: "The provider's keys are being fetched." };
  if (keys.keys > 0)
    return { status: "True", reason: "Accepted", message: "The tenant's tokens are accepted." };
  return notReady(
    "KeysUnavailable",
    keys.outcome === "read"
      ? "The key set at oidc.jwksEndpoint has no key that can verify RS256, so no token is accepted."
      : `The key set at oidc.jwksEndpoint cannot be read (${keys.outcome}), so no token is accepted.`,
  );
}

function storagesReady({ isPending, faults }: SecretsState): State {
  const [first] = faults;
  if (first !== undefined)
    return notReady(first.reason, [...new Set(faults.map(({ message }) => message))].join(" "));
  return isPending
    ? { status: "Unknown", reason: "SecretsPending", message: "The Secrets of the storages are being read." }
    : { status: "True", reason: "SecretsRead", message: "The credentials of the storages can be read." };
}

function notReady(reason: string, message: string): State {
  return { status: "False", reason, message: message.slice(0, MESSAGE_MOST_CHARS).toWellFormed() };
}

function keysOf(
  { fetchedAt, outcome, keys }: KeySetState,
  before: unknown,
): NonNullable<TenantStatus["keys"]> {
  const fetched = { outcome, count: keys };
  const written = isObject(before) && isObject(before["keys"]) ? before["keys"] : {};
  const at = typeof written["lastFetchTime"] === "string" ? written["lastFetchTime"] : "";
  const isSame = written["outcome"] === outcome && written["count"] === keys;
  const isNear = Math.abs(fetchedAt - Date.parse(at)) < FETCH_TIME_BEHIND_MS;
  return { lastFetchTime: isSame && isNear ? at : secondOf(new Date(fetchedAt)), ...fetched };
}

function conditionIn(status: unknown, type: ConditionType): Record<string, unknown> | undefined {
  const conditions = isObject(status) ? status["conditions"] : undefined;
  return (Array.isArray(conditions) ? conditions : [])
    .filter((one) => isObject(one))
    .find((one) => one["type"] === type);
}

function ofType(conditions: readonly Condition[], type: ConditionType): Condition | undefined {
  return conditions.find((one) => one.type === type);
}

/** In the format of Kubernetes times. */
function secondOf(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
