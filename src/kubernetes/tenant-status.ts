/** The status of a SvcTenant. */
import { isDeepStrictEqual } from "node:util";
import type { KeySetState } from "../auth/keys/key-set.ts";
import { isObject } from "../platform/json.ts";
import { describe, type ValidationResult } from "./validation-results.ts";

/**
 * Milliseconds by which the time of the last fetch may be outdated if nothing else changed. Keys in use are fetched
 * every 5 minutes, and each update is a write to the cluster's database.
 */
const FETCH_TIME_BEHIND_MS = 600_000;
const MESSAGE_MOST_CHARS = 2_000;

interface Condition {
  readonly type: "Ready";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

export interface TenantStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly [Condition];
  readonly keys?: { readonly lastFetchTime: string; readonly outcome: string; readonly count: number };
}

type Ready = Pick<Condition, "status" | "reason" | "message">;

export interface StatusNow {
  /** Undefined: the keys were not fetched yet. */
  readonly keys: KeySetState | undefined;
  /** The current status of the resource, in any form. */
  readonly before: unknown;
  readonly now: Date;
}

/** Returns the status that a resource should have. */
export function statusOf(result: ValidationResult, { keys, before, now }: StatusNow): TenantStatus {
  const ready = readyOf(result, keys);
  const condition = conditionIn(before);
  const kept = condition?.["status"] === ready.status ? condition["lastTransitionTime"] : undefined;
  const lastTransitionTime = typeof kept === "string" ? kept : secondOf(now);
  const observedGeneration = result.resource.generation;
  const next = { type: "Ready", ...ready, observedGeneration, lastTransitionTime } as const;
  const shown = result.kind === "accepted" && keys !== undefined && { keys: keysOf(keys, before) };
  return { observedGeneration, conditions: [next], ...shown };
}

/** Whether the resource already has this status. */
export function isWritten(status: TenantStatus, before: unknown): boolean {
  const own = isObject(before) ? before : {};
  return (
    own["observedGeneration"] === status.observedGeneration &&
    isDeepStrictEqual(conditionIn(own), { ...status.conditions[0] }) &&
    isDeepStrictEqual(own["keys"], status.keys)
  );
}

function readyOf(result: ValidationResult, keys: KeySetState | undefined): Ready {
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

function readyByKeys(keys: KeySetState | undefined): Ready {
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

function notReady(reason: string, message: string): Ready {
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

function conditionIn(status: unknown): Record<string, unknown> | undefined {
  const conditions = isObject(status) ? status["conditions"] : undefined;
  return (Array.isArray(conditions) ? conditions : [])
    .filter((one) => isObject(one))
    .find((one) => one["type"] === "Ready");
}

/** In the format of Kubernetes times. */
function secondOf(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
