/** Judges a diagnosis by what is true of the pair. */
import { compareRuns } from "./alignment.ts";
import { type Area, type Repair, type Side, TIME_CODES, type Truth } from "./corpus/truth.ts";
import type { Finding, Fix, Found } from "./found.ts";

/**
 * - "right": every expected finding is made, and its positions, areas and fixes are true; a clean pair has no alarm
 * - "unclear": not found, but the diagnosis says that it could not check or decide this, or gives an area without
 * borders
 * - "silent": not found
 * - "wrong": something untrue is claimed instead
 */
export type Outcome = "right" | "unclear" | "silent" | "wrong";
export const OUTCOMES: readonly Outcome[] = ["right", "unclear", "silent", "wrong"];

export interface Verdict {
  readonly outcome: Outcome;
  /** What is missing or untrue. */
  readonly reasons: readonly string[];
  /** Untrue findings that would refuse the pair ("certain") or warn ("likely"). */
  readonly alarms: readonly Finding[];
  /** Distances between found and true events, in frames; Infinity: not found. */
  readonly positions: readonly number[];
  /**
   * The largest distance of an edge of a found area from the true one, in samples; undefined: the truth has no area.
   */
  readonly areaError: number | undefined;
}

/** Codes for an area that only one side shows. Dark content at an edge can be a bar or picture. */
const AREA_CODES = ["CROPPED", "BARS", "PADDED"];
const FIELD_CODES = ["INTERLACED", "FIELD_ORDER_DIFFERS"];
const FRAME_CODES = TIME_CODES.filter((code) => !FIELD_CODES.includes(code));
/** The evidence of NOT_CHECKED, and the findings that it leaves open. */
const LEFT_OPEN: readonly (readonly [RegExp, readonly string[]])[] = [
  [/paired by number|belong together/, FRAME_CODES],
  [/interlaced/, FIELD_CODES],
  [/same matrix/, ["MATRIX_DIFFERS"]],
  [/same range/, ["RANGE_DIFFERS", "LEVELS_DIFFER", "MATRIX_DIFFERS"]],
];
/** Evidence after which nothing else is examined. */
const LEFT_ALL_OPEN = /both show the same|lost what moves/;
/** The evidence of an area without a fix. */
const WITHOUT_BORDERS = /borders are not known to the sample/;
/** The evidence of an area that may have another code. */
const NAMELESS = /bars and a crop look alike/;
/** Largest error of an edge, in samples. Edges are found on pictures that are several times smaller. */
const AREA_TOLERANCE = 2;
/** Largest distance of a found freeze or repetition from the true one, in frames. */
const SPAN_TOLERANCE = 12;

export function judge(stated: Truth, found: Found): Verdict {
  const truth = withAreaNames(stated, found);
  const named = (code: string) => found.findings.some((finding) => finding.code === code);
  const missing = truth.expected.filter((group) => !group.some(named));
  const claims = untrueClaims(truth, found);
  const { positions, areaError } = measure(truth, found);
  const alarms = alarmsOf(truth, found);
  const isUnmeasured = isUnmeasuredArea(truth, found);
  const reasons = [
    ...missing.map((group) => `no ${group.join(" or ")}`),
    ...(isUnmeasured ? ["an area without borders"] : []),
    ...claims,
    ...alarms.map(({ code, confidence }) => `${confidence} ${code}`),
  ];
  const outcome = outcomeOf({
    missing: missing.length > 0,
    // An alarm in addition to the true finding is counted separately.
    untrue: claims.length > 0 || (alarms.length > 0 && (missing.length > 0 || truth.expected.length === 0)),
    isUnmeasured,
    undecided: missing.every((group) => found.findings.some((finding) => leavesOpen(finding, group))),
  });
  return { outcome, reasons, alarms, positions, areaError };
}

/** Whether a finding leaves open whether one of a group of findings is true. */
export function leavesOpen({ code, evidence = "" }: Finding, group: readonly string[]): boolean {
  const open =
    code === "TIME_UNCLEAR"
      ? FRAME_CODES
      : LEFT_OPEN.flatMap(([words, codes]) => (code === "NOT_CHECKED" && words.test(evidence) ? codes : []));
  return (code === "NOT_CHECKED" && LEFT_ALL_OPEN.test(evidence)) || group.some((one) => open.includes(one));
}

/**
 * Accepts any area code for the expected one if the area is true, or if the finding says that it may have another
 * code.
 */
function withAreaNames(truth: Truth, found: Found): Truth {
  const error = areaErrorOf(truth.repair, fixOf(found));
  const isOpen = found.findings.some(({ evidence = "" }) => NAMELESS.test(evidence));
  if (!isOpen && (error === undefined || error > AREA_TOLERANCE)) return truth;
  const widen = (group: readonly string[]) =>
    group.some((code) => AREA_CODES.includes(code)) ? [...new Set([...group, ...AREA_CODES])] : group;
  return { ...truth, expected: truth.expected.map(widen) };
}

function outcomeOf(is: {
  missing: boolean;
  untrue: boolean;
  isUnmeasured: boolean;
  undecided: boolean;
}): Outcome {
  if (is.untrue) return "wrong";
  if (!is.missing) return is.isUnmeasured ? "unclear" : "right";
  return is.undecided ? "unclear" : "silent";
}

/**
 * Untrue findings that refuse or warn. TIME_UNCLEAR is one if there is no fault in time, because it can refuse a pair
 * too.
 */
function alarmsOf({ expected, allowed }: Truth, { findings }: Found): Finding[] {
  const isTimed = expected.flat().some((code) => TIME_CODES.includes(code));
  const fine = [...expected.flat(), ...allowed, "NOT_CHECKED", ...(isTimed ? ["TIME_UNCLEAR"] : [])];
  return findings.filter(({ code, confidence }) => confidence !== "possible" && !fine.includes(code));
}

function measure(truth: Truth, found: Found): Pick<Verdict, "positions" | "areaError"> {
  const events = compareRuns(truth.runs ?? [], found.runs).positions;
  const span = spanError(truth, found);
  return {
    // At twice the rate, every frame is a change of the offset.
    positions: [...(isConversion(truth) ? [] : events), ...(span === undefined ? [] : [span])],
    areaError: isWithoutBorders(truth, found) ? undefined : areaErrorOf(truth.repair, fixOf(found)),
  };
}

/** Returns what the diagnosis claims about alignment, spans and fixes that is not true. */
function untrueClaims(truth: Truth, found: Found): string[] {
  const made = truth.expected
    .flat()
    .filter((code) => found.findings.some((finding) => finding.code === code));
  return [
    ...alignmentClaims(truth, found, made),
    ...(made.length === 0 ? [] : [...spanClaims(truth, found), ...fixClaims(truth, found)]),
  ];
}

function alignmentClaims({ runs, ...truth }: Truth, found: Found, made: readonly string[]): string[] {
  if (runs === undefined || runs.length === 0 || isConversion({ runs, ...truth })) return [];
  const timed = found.findings.some(({ code }) => TIME_CODES.includes(code));
  const inStep = found.runs.every(({ reference, distorted }) => reference === distorted);
  // Frames in step without a finding are not a claim.
  if (inStep && !timed) return [];
  const { wrong, complete } = compareRuns(runs, found.runs);
  if (wrong > 0) return [`${wrong} frames are matched to others`];
  if (found.findings.some(({ code }) => code === "TIME_UNCLEAR")) return [];
  return !complete && made.some((code) => TIME_CODES.includes(code)) ? ["most frames are not matched"] : [];
}

/** Whether the rate was changed by repeating or leaving out frames all the time. */
function isConversion({ runs = [], frames }: Pick<Truth, "runs" | "frames">): boolean {
  return runs.length > frames.distorted / 12;
}

function spanClaims(truth: Truth, found: Found): string[] {
  const error = spanError(truth, found);
  return error !== undefined && error > SPAN_TOLERANCE ? [`found ${error} frames from where it is`] : [];
}

/** Returns how far the nearest expected finding with frames is from the true span; undefined: none has frames. */
function spanError({ span, expected }: Truth, { findings }: Found): number | undefined {
  if (span === undefined) return undefined;
  const named = findings.filter(({ code, frames }) => frames !== undefined && expected.flat().includes(code));
  if (named.length === 0) return undefined;
  return Math.min(
    ...named.map(({ side = span.side, frames }) => {
      // A gap has a place on each side, and the same number of frames precede it on both.
      const first = frames?.first ?? Number.POSITIVE_INFINITY;
      return side === span.side || expected.flat().includes("TIMESTAMP_GAP")
        ? Math.abs(first - span.first)
        : Number.POSITIVE_INFINITY;
    }),
  );
}

/** The fixes of all findings together. */
function fixOf({ findings }: Found): Fix {
  const fixes = findings.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  const united = <Key extends keyof Fix>(key: Key) =>
    Object.assign({}, ...fixes.map((fix) => fix[key])) as Fix[Key];
  return {
    crop: united("crop") ?? {},
    mirror: united("mirror") ?? {},
    rangeOf: united("rangeOf") ?? {},
    matrixOf: united("matrixOf") ?? {},
  };
}

/** Whether the pair needs a crop, but the diagnosis gives none because it does not know the borders. */
function isWithoutBorders({ repair }: Truth, found: Found): boolean {
  const isNeeded = Object.keys(repair.crop ?? {}).length > 0;
  const isNamed = Object.keys(fixOf(found).crop ?? {}).length > 0;
  const isSaid = found.findings.some(({ evidence = "" }) => WITHOUT_BORDERS.test(evidence));
  return isNeeded && !isNamed && isSaid;
}

/** The same if there is an exact crop. There is none if a border lies between two samples, as after scaling. */
function isUnmeasuredArea(truth: Truth, found: Found): boolean {
  return isWithoutBorders(truth, found) && Object.values(truth.repair.crop ?? {}).every(isWhole);
}

function isWhole({ x, y, width, height }: Area): boolean {
  return [x, y, width, height].every(Number.isInteger);
}

function fixClaims(truth: Truth, found: Found): string[] {
  const { repair } = truth;
  const fix = fixOf(found);
  const area = isWithoutBorders(truth, found) ? undefined : areaErrorOf(repair, fix);
  return [
    ...(area !== undefined && area > AREA_TOLERANCE ? [`the area is ${area.toFixed(1)} samples off`] : []),
    ...(["mirror", "rangeOf", "matrixOf"] as const).filter((key) => !repairs(repair[key] ?? {}, fix[key])),
  ];
}

/** Whether a fix contains everything that repairs a pair. It may also state what is true of the other side. */
function repairs(
  repair: Readonly<Partial<Record<Side, string>>>,
  fix: Readonly<Partial<Record<Side, string>>> = {},
): boolean {
  return Object.entries(repair).every(([side, value]) => fix[side as Side] === value);
}

function areaErrorOf(repair: Repair, fix: Fix): number | undefined {
  const sides = Object.keys(repair.crop ?? {}) as Side[];
  const errors = sides.map((side) => edgeError(repair.crop?.[side], fix.crop?.[side]));
  return sides.length === 0 ? undefined : Math.max(...errors);
}

function edgeError(truth: Area | undefined, found: Area | undefined): number {
  if (truth === undefined || found === undefined) return Number.POSITIVE_INFINITY;
  const edges = ({ x, y, width, height }: Area) => [x, y, x + width, y + height];
  return Math.max(...edges(truth).map((edge, index) => Math.abs(edge - (edges(found)[index] ?? 0))));
}
