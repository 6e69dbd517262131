/** Converts the members of requests and results about the pictures of both sides from and to messages. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PictureRequest } from "../engine/contract/picture.ts";
import { SIDES, type Side } from "../engine/contract/request.ts";
import type { ColourConversion } from "../engine/contract/result.ts";
import {
  type ColourConversionSchema,
  Mirror_Direction,
  type MirrorSchema,
  SampleMatrix_Matrix,
  type SampleMatrixSchema,
  SampleRange_Range,
  type SampleRangeSchema,
  type ScoreRequest,
} from "../gen/proto/svc/v1/scoring_pb.ts";
import { invalid } from "../platform/failure.ts";

const MIRROR = {
  [Mirror_Direction.HORIZONTAL]: "HORIZONTAL",
  [Mirror_Direction.VERTICAL]: "VERTICAL",
  [Mirror_Direction.BOTH]: "BOTH",
} as const;
const RANGE = { [SampleRange_Range.LIMITED]: "LIMITED", [SampleRange_Range.FULL]: "FULL" } as const;
const MATRIX = {
  [SampleMatrix_Matrix.BT601]: "BT601",
  [SampleMatrix_Matrix.BT709]: "BT709",
  [SampleMatrix_Matrix.BT2020]: "BT2020",
} as const;

/** Returns the members that a request has. Throws INVALID_REQUEST for an unknown name. */
export function pictureOf({
  crop,
  mirror,
  rangeOf,
  matrixOf,
}: Pick<ScoreRequest, "crop" | "mirror" | "rangeOf" | "matrixOf">): PictureRequest {
  const areas = SIDES.flatMap((side) => {
    const area = crop?.[side];
    if (area === undefined) return [];
    const { x, y, width, height } = area;
    return [[side, { x, y, width, height }] as const];
  });
  return {
    ...(crop && { crop: Object.fromEntries(areas) }),
    ...(mirror && { mirror: namesBySide("mirror", mirror, MIRROR) }),
    ...(rangeOf && { rangeOf: namesBySide("rangeOf", rangeOf, RANGE) }),
    ...(matrixOf && { matrixOf: namesBySide("matrixOf", matrixOf, MATRIX) }),
  };
}

/** Returns the names of the sides that are given. Enums of proto3 are open: unknown numbers are passed through. */
function namesBySide<T extends string>(
  field: string,
  sides: Readonly<Partial<Record<Side, number | undefined>>>,
  names: Readonly<Record<number, T>>,
): Partial<Record<Side, T>> {
  const given = SIDES.flatMap((side) => {
    const value = sides[side] ?? 0;
    if (value === 0) return [];
    const name = names[value];
    if (name === undefined)
      throw invalid(`${field}.${side} ${value} is not known. Use ${Object.values(names).join(" or ")}.`);
    return [[side, name] as const];
  });
  return Object.fromEntries(given) as Partial<Record<Side, T>>;
}

type Given<K extends keyof PictureRequest> = NonNullable<PictureRequest[K]>;

export function mirrorMessage({
  reference,
  distorted,
}: Given<"mirror">): MessageInitShape<typeof MirrorSchema> {
  return {
    ...(reference && { reference: Mirror_Direction[reference] }),
    ...(distorted && { distorted: Mirror_Direction[distorted] }),
  };
}

export function rangeMessage({
  reference,
  distorted,
}: Given<"rangeOf">): MessageInitShape<typeof SampleRangeSchema> {
  return {
    ...(reference && { reference: SampleRange_Range[reference] }),
    ...(distorted && { distorted: SampleRange_Range[distorted] }),
  };
}

export function matrixMessage({
  reference,
  distorted,
}: Given<"matrixOf">): MessageInitShape<typeof SampleMatrixSchema> {
  return {
    ...(reference && { reference: SampleMatrix_Matrix[reference] }),
    ...(distorted && { distorted: SampleMatrix_Matrix[distorted] }),
  };
}

export function conversionMessage({
  fromRange,
  toRange,
  fromMatrix,
  toMatrix,
}: ColourConversion): MessageInitShape<typeof ColourConversionSchema> {
  return {
    ...(fromRange && { fromRange: SampleRange_Range[fromRange] }),
    ...(toRange && { toRange: SampleRange_Range[toRange] }),
    ...(fromMatrix && { fromMatrix: SampleMatrix_Matrix[fromMatrix] }),
    ...(toMatrix && { toMatrix: SampleMatrix_Matrix[toMatrix] }),
  };
}
