/** The options that say which part of each side's pictures is compared, and how it is mirrored. */
import { InvalidArgumentError, type Option } from "commander";
import {
  MATRICES,
  MIRRORINGS,
  type Mirroring,
  type PictureRequest,
  RANGES,
} from "../../../engine/contract/picture.ts";
import { SIDES, type Side } from "../../../engine/contract/request.ts";
import { optional } from "../../flags/optional.ts";

/** Parsed options, named as in requests. */
export type PictureFlags = PictureRequest;

export function pictureOptions(): Option[] {
  return [
    optional(
      "--crop <side=WxH+X+Y>",
      "compare this part of a side, reference or distorted: its size, and the samples to the left and above; repeatable",
      "all of it",
    ).argParser(collectCrop),
    optional(
      "--mirror <side[=direction]>",
      "mirror a side, reference or distorted, after cropping: horizontal (the default), vertical or both; repeatable",
      "not at all",
    ).argParser(collectMirror),
    optional(
      "--range-of <side=range>",
      "the samples of a side are limited or full, regardless of its tags; the distorted video is converted to the reference's range; repeatable",
      "as tagged, and not converted",
    ).argParser(namedSides(RANGES, "distorted=full")),
    optional(
      "--matrix-of <side=matrix>",
      "the samples of a side are bt601, bt709 or bt2020; the distorted video is converted to the reference's matrix; for both sides",
      "not converted",
    ).argParser(namedSides(MATRICES, "distorted=bt601")),
  ];
}

/** Returns the members of a request. */
export function pictureOf({ crop, mirror, rangeOf, matrixOf }: PictureFlags): PictureRequest {
  return {
    ...(crop && { crop }),
    ...(mirror && { mirror }),
    ...(rangeOf && { rangeOf }),
    ...(matrixOf && { matrixOf }),
  };
}

function collectCrop(text: string, before: PictureRequest["crop"] = {}): PictureRequest["crop"] {
  const [side, area] = sideIn(text);
  const [, width, height, x, y] = /^(\d{1,5})x(\d{1,5})\+(\d{1,5})\+(\d{1,5})$/i.exec(area) ?? [];
  if (side === undefined || width === undefined)
    throw new InvalidArgumentError("Use SIDE=WxH+X+Y, for example distorted=1920x800+0+140.");
  refuseTwice(side, before);
  const [w, h] = [Number(width), Number(height)];
  return { ...before, [side]: { x: Number(x), y: Number(y), width: w, height: h } };
}

function collectMirror(text: string, before: PictureRequest["mirror"] = {}): PictureRequest["mirror"] {
  const [side, direction] = sideIn(text);
  const mirroring = text.includes("=") ? mirroringNamed(direction) : "HORIZONTAL";
  if (side === undefined || mirroring === undefined)
    throw new InvalidArgumentError(
      "Use reference or distorted, and =horizontal, =vertical or =both, for example distorted=vertical.",
    );
  refuseTwice(side, before);
  return { ...before, [side]: mirroring };
}

/** Returns the parser of SIDE=NAME. Upper case, as in the API, is accepted too. */
function namedSides<T extends string>(names: readonly T[], example: string) {
  return (text: string, before: Partial<Record<Side, T>> = {}): Partial<Record<Side, T>> => {
    const [side, value] = sideIn(text);
    const name = names.find((known) => known === value.toUpperCase());
    if (side === undefined || name === undefined)
      throw new InvalidArgumentError(
        `Use SIDE=${names.join(", SIDE=").toLowerCase().replaceAll("side=", "SIDE=")}, for example ${example}.`,
      );
    refuseTwice(side, before);
    return { ...before, [side]: name };
  };
}

function mirroringNamed(name: string): Mirroring | undefined {
  return MIRRORINGS.find((known) => known === name.toUpperCase());
}

/** Splits "SIDE=VALUE". */
function sideIn(text: string): readonly [side: Side | undefined, value: string] {
  const [name = "", ...rest] = text.split("=");
  return [SIDES.find((side) => side === name.toLowerCase()), rest.join("=")];
}

function refuseTwice(side: Side, before: Partial<Record<Side, unknown>>): void {
  if (before[side] !== undefined) throw new InvalidArgumentError(`The ${side} side is given twice.`);
}
