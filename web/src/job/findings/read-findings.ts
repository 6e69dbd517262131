/** Reads findings. Those of a failed job are facts, whose shape is not guaranteed; malformed ones are left out. */
import type { components } from "../../../../src/gen/rest/controller.ts";
import type { JobSpec } from "../../jobs/job-facts.ts";

type Schemas = components["schemas"];
type Area = Required<Schemas["Area"]>;
type Run = Required<Schemas["FrameRun"]>;

export const SIDES = ["reference", "distorted"] as const;
export type Side = (typeof SIDES)[number];
/** Members by side; undefined if neither side has one. */
type BySide<T> = { readonly [S in Side]?: T };

const CONFIDENCES = ["certain", "likely", "possible"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Members of a spec that repair a pair. */
export type Fix = Pick<JobSpec, "offset" | "runs" | "crop" | "mirror" | "rangeOf" | "matrixOf">;

export interface Finding {
  readonly code: string;
  /** undefined: both, or unknown. */
  readonly side: Side | undefined;
  /** Where, in frames of the side; undefined: everywhere. */
  readonly frames: Schemas["FrameSpan"] | undefined;
  readonly area: Area | undefined;
  /** In the unit that the code implies. */
  readonly size: number | undefined;
  readonly confidence: Confidence;
  /** A sentence. */
  readonly evidence: string;
  readonly fix: Fix | undefined;
  /** Whether the fix was applied before the pair was scored. */
  readonly isFixed: boolean;
}

export function readFindings(value: unknown): readonly Finding[] {
  return Array.isArray(value) ? value.flatMap((each) => readFinding(each) ?? []) : [];
}

/** Returns the finding; undefined without a code, a known confidence or evidence. */
function readFinding(value: unknown): Finding | undefined {
  const { code, side, frames, area, size, confidence, evidence, fix, fixed } = membersOf(value);
  const valid = CONFIDENCES.find((known) => known === confidence);
  if (typeof code !== "string" || code === "" || typeof evidence !== "string" || valid === undefined)
    return undefined;
  return {
    ...{ code, evidence, confidence: valid, isFixed: fixed === true },
    side: SIDES.find((known) => known === side),
    frames: readSpan(frames),
    area: readArea(area),
    size: typeof size === "number" && Number.isFinite(size) ? size : undefined,
    fix: readFix(fix),
  };
}

/**
 * Returns the fix; undefined if there is none, or if a part of it is malformed, because the rest would repair something
 * else.
 */
export function readFix(value: unknown): Fix | undefined {
  const given = membersOf(value);
  const entries: [string, unknown][] = Object.keys(READERS)
    .filter((name) => given[name] !== undefined && !isEmpty(given[name]))
    .map((name) => [name, READERS[name as keyof Fix](given[name])]);
  const isWhole = entries.length > 0 && entries.every(([, member]) => member !== undefined);
  return isWhole ? Object.fromEntries(entries) : undefined;
}

/** Whether a value is the API's form of a missing list. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const MIRRORINGS = ["HORIZONTAL", "VERTICAL", "BOTH"] as const satisfies readonly Schemas["Mirroring"][];
const RANGES = ["LIMITED", "FULL"] as const satisfies readonly Schemas["Range"][];
const MATRICES = ["BT601", "BT709", "BT2020"] as const satisfies readonly Schemas["Matrix"][];

const READERS: { readonly [M in keyof Fix]-?: (value: unknown) => Fix[M] | undefined } = {
  offset: (value) => (Number.isSafeInteger(value) ? Number(value) : undefined),
  runs: readRuns,
  crop: (value) => readSides(value, readArea),
  mirror: (value) => readSides(value, (one) => MIRRORINGS.find((known) => known === one)),
  rangeOf: (value) => readSides(value, (one) => RANGES.find((known) => known === one)),
  matrixOf: (value) => {
    const { reference, distorted } = readSides(value, (one) => MATRICES.find((each) => each === one)) ?? {};
    return reference && distorted && { reference, distorted };
  },
};

function readRuns(value: unknown): Run[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const runs = value.flatMap((each) => readRun(each) ?? []);
  return runs.length === value.length ? runs : undefined;
}

function readRun(value: unknown): Run | undefined {
  const { reference = 0, distorted = 0, count } = membersOf(value);
  return isCount(reference) && isCount(distorted) && isCount(count) && count > 0
    ? { reference, distorted, count }
    : undefined;
}

function readSpan(value: unknown): Finding["frames"] {
  const { first, count } = membersOf(value);
  return isCount(first) && isCount(count) && count > 0 ? { first, count } : undefined;
}

function readArea(value: unknown): Area | undefined {
  const { x = 0, y = 0, width, height } = membersOf(value);
  const isArea = isCount(x) && isCount(y) && isCount(width) && isCount(height) && width > 0 && height > 0;
  return isArea ? { x, y, width, height } : undefined;
}

/** Returns the members by side; undefined if there are none, or if one is malformed. */
function readSides<T>(value: unknown, read: (one: unknown) => T | undefined): BySide<T> | undefined {
  const given = membersOf(value);
  const named = SIDES.filter((side) => given[side] !== undefined);
  const entries = named.map((side) => [side, read(given[side])] as const);
  const isWhole = entries.length > 0 && entries.every(([, one]) => one !== undefined);
  return isWhole ? (Object.fromEntries(entries) as BySide<T>) : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
