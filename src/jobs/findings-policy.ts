/** Policies on findings, which show that the two videos of a pair do not match. */

export const FINDING_CODES = [
  // Time
  "OFFSET",
  "TRIMMED",
  "FRAMES_DROPPED",
  "FRAMES_DUPLICATED",
  "FROZEN",
  "REPEATED",
  "RATE_DIFFERS",
  "INTERLACED",
  "FIELD_ORDER_DIFFERS",
  "TIME_UNCLEAR",
  // Picture area
  "CROPPED",
  "BARS",
  "PADDED",
  "ROTATED",
  "MIRRORED",
  "ASPECT_RATIO_DIFFERS",
  // Samples
  "RANGE_DIFFERS",
  "MATRIX_DIFFERS",
  "TRANSFER_DIFFERS",
  "PRIMARIES_DIFFER",
  "LEVELS_DIFFER",
  // The whole
  "OTHER_CONTENT",
  "SIDES_SWAPPED",
  "BLACK",
  "IDENTICAL",
  "NOT_CHECKED",
  // The models
  "HDR",
  "MODEL_SIZE",
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export const FINDING_ACTIONS = ["REFUSE", "WARN", "IGNORE"] as const;
/**
 * REFUSE: certain findings that make scores wrong refuse the pair, other certain and likely ones warn. WARN: they all
 * warn. IGNORE: they are left out of the result.
 */
export type FindingAction = (typeof FINDING_ACTIONS)[number];

export interface FindingsPolicy {
  /** For all codes that `codes` does not name. Default: REFUSE. */
  readonly action?: FindingAction | undefined;
  readonly codes?: Readonly<Partial<Record<FindingCode, FindingAction>>> | undefined;
}

/**
 * Returns the current policy for jobs of a tenant that name none; undefined: the default of the API. Called at every
 * use because it can change.
 */
export type FindingsPolicyOf = (tenant: string) => FindingsPolicy | undefined;

/** The rule of a policy's text, for messages. */
export const POLICY_RULE = `refuse, warn or ignore, alone or with codes of findings, such as ignore:BARS,CROPPED; the codes are ${FINDING_CODES.join(", ")}`;

/**
 * Parses a policy's text: an action for all findings, or for those after its colon. Upper and lower case are the same,
 * as are "-" and "_". Returns undefined if it breaks POLICY_RULE.
 */
export function parsePolicy(text: string): FindingsPolicy | undefined {
  const [word = "", list, ...rest] = text.toUpperCase().split(":");
  const action = FINDING_ACTIONS.find((known) => known === word.trim());
  if (action === undefined || rest.length > 0) return undefined;
  if (list === undefined) return { action };
  const names = list.split(",").map((name) => name.trim().replaceAll("-", "_"));
  const codes = names.flatMap((name) => FINDING_CODES.find((known) => known === name) ?? []);
  if (codes.length < names.length) return undefined;
  return { codes: Object.fromEntries(codes.map((code) => [code, action])) };
}

/** Joins policies; if two apply to the same finding, the later one wins. */
export function joinPolicies(policies: readonly FindingsPolicy[]): FindingsPolicy {
  const codes = Object.assign({}, ...policies.map((policy) => policy.codes));
  return { ...Object.assign({}, ...policies), ...(Object.keys(codes).length > 0 && { codes }) };
}
