/** Findings and their fixes in words. */
import type { JobSpec } from "../../jobs/job-facts.ts";
import { countText } from "../../jobs/job-facts.ts";
import { type Confidence, type Finding, type Fix, SIDES, type Side } from "./read-findings.ts";

const TITLES: Readonly<Record<string, string>> = {
  OFFSET: "Shifted in time",
  TRIMMED: "Beginning or end missing",
  FRAMES_DROPPED: "Frames missing",
  FRAMES_DUPLICATED: "Extra frames",
  FROZEN: "Picture frozen",
  REPEATED: "Earlier frames shown again",
  RATE_DIFFERS: "Frame rate differs",
  INTERLACED: "Interlaced",
  FIELD_ORDER_DIFFERS: "Field order differs",
  TIME_UNCLEAR: "Timing unclear",
  CROPPED: "Cropped",
  BARS: "Black bars",
  PADDED: "Padded",
  ROTATED: "Rotated",
  MIRRORED: "Mirrored",
  ASPECT_RATIO_DIFFERS: "Displayed in another shape",
  RANGE_DIFFERS: "Sample range differs",
  MATRIX_DIFFERS: "Colour matrix differs",
  TRANSFER_DIFFERS: "Transfer function differs",
  PRIMARIES_DIFFER: "Colour primaries differ",
  LEVELS_DIFFER: "Brightness or contrast differs",
  OTHER_CONTENT: "Different content",
  SIDES_SWAPPED: "Sides may be swapped",
  BLACK: "Black picture",
  IDENTICAL: "Identical videos",
  NOT_CHECKED: "Not fully checked",
  HDR: "HDR videos",
  MODEL_SIZE: "Model for another size",
};

/** Returns the title of a finding; an unknown code is its own title. */
export function findingTitle(code: string): string {
  return Object.hasOwn(TITLES, code) ? (TITLES[code] ?? code) : code;
}

export const CONFIDENCE_NAMES: Readonly<Record<Confidence, string>> = {
  certain: "Certain",
  likely: "Likely",
  possible: "Possible",
};

export const SIDE_NAMES: Readonly<Record<Side, string>> = { reference: "Reference", distorted: "Distorted" };

const IN_FRAMES = ["OFFSET", "TRIMMED", "FRAMES_DROPPED", "FRAMES_DUPLICATED", "FROZEN", "REPEATED"];
const IN_LEVELS = ["RANGE_DIFFERS", "TRANSFER_DIFFERS", "LEVELS_DIFFER"];

/** "7 frames", "7.8 of 255 levels"; undefined if the finding has no size. */
export function sizeText({ code, size }: Pick<Finding, "code" | "size">): string | undefined {
  if (size === undefined) return undefined;
  if (IN_FRAMES.includes(code)) return framesText(Math.abs(size));
  const number = String(Number(size.toFixed(2)));
  return IN_LEVELS.includes(code) ? `${Number(size.toFixed(1))} of 255 levels` : number;
}

function framesText(count: number): string {
  return count === 1 ? "1 frame" : `${countText(count)} frames`;
}

/** "frame 7", "frames 40–46". */
export function placeText({ first, count }: NonNullable<Finding["frames"]>): string {
  return count === 1
    ? `frame ${countText(first)}`
    : `frames ${countText(first)}–${countText(first + count - 1)}`;
}

const MIRRORED = {
  HORIZONTAL: "mirrored horizontally",
  VERTICAL: "mirrored vertically",
  BOTH: "turned by 180°",
} as const;
const RANGE_NAMES = { LIMITED: "limited", FULL: "full" } as const;
const MATRIX_NAMES = { BT601: "BT.601", BT709: "BT.709", BT2020: "BT.2020" } as const;

/** Describes a fix, or the frames and pictures that a spec compares, with a phrase for each member and side. */
export function comparedTexts(spec: Fix & Pick<JobSpec, "start" | "duration">): readonly string[] {
  const { offset, start, duration, runs, crop = {}, mirror = {}, rangeOf = {}, matrixOf } = spec;
  const of = <T>(values: { readonly [S in Side]?: T }, text: (value: T) => string) =>
    SIDES.flatMap((side) => {
      const value = values[side];
      return value === undefined ? [] : [`${side} ${text(value)}`];
    });
  return [
    ...(offset === undefined ? [] : [`offset ${countText(offset)}`]),
    ...(start === undefined ? [] : [`from frame ${countText(start)}`]),
    ...(duration === undefined || duration === 0 ? [] : [framesText(duration)]),
    ...(runs ?? []).map(runText),
    ...of(crop, ({ x = 0, y = 0, width, height }) => `cropped to ${width}×${height} at ${x}, ${y}`),
    ...of(mirror, (direction) => MIRRORED[direction]),
    ...of(rangeOf, (range) => `taken as ${RANGE_NAMES[range]} range`),
    ...of(matrixOf ?? {}, (matrix) => `taken as ${MATRIX_NAMES[matrix]}`),
  ];
}

function runText({ reference = 0, distorted = 0, count }: NonNullable<Fix["runs"]>[number]): string {
  return count === 1
    ? `reference ${reference} = distorted ${distorted}`
    : `reference ${reference}–${reference + count - 1} = distorted ${distorted}–${distorted + count - 1}`;
}

const ACTIONS = { REFUSE: "refuse the pair", WARN: "warn", IGNORE: "ignore" } as const;

/** Describes the policy of a spec on findings; empty if the defaults apply. */
export function policyTexts({ findings, fix }: Pick<JobSpec, "findings" | "fix">): readonly string[] {
  const { action, codes = {} } = findings ?? {};
  return [
    ...(fix === true ? ["repair the pair first"] : []),
    ...(action === undefined ? [] : [ACTIONS[action]]),
    ...Object.entries(codes).map(([code, own]) => `${findingTitle(code)}: ${ACTIONS[own]}`),
  ];
}
