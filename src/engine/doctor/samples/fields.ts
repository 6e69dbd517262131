/** Averages over blocks of aligned pictures: encodes and grain change them little, levels and matrices do. */

import type { Side } from "../../contract/request.ts";
import { CHROMA, LUMA, type Pictures } from "../../media/pictures.ts";
import { type Box, WHOLE } from "../space/box.ts";
import { plane, shrink } from "../space/plane.ts";
import { type AxisMap, applyView, type View } from "../space/view.ts";

/** Side of a block of luma in samples of pictures; half of it in chroma. */
const BLOCK = 8;

/** Components of blocks of both sides at the same places; chroma as the distance from grey. */
export interface Fields {
  readonly count: number;
  readonly reference: Components;
  readonly distorted: Components;
}

export interface Components {
  readonly y: Float32Array;
  readonly u: Float32Array;
  readonly v: Float32Array;
}

/** A frame of each side that show the same, as indexes of pictures. */
export interface FramePair {
  readonly reference: number;
  readonly distorted: number;
}

const GREY = 128;

/**
 * Averages blocks of the pictures of some frames, the distorted ones seen through a view. `common`: the part of the
 * reference's frame that both show.
 */
export function fieldsOf(
  { reference, distorted }: Readonly<Record<Side, Pictures>>,
  frames: readonly FramePair[],
  view: View,
  common: Box = WHOLE,
): Fields {
  const sides = frames.map((pair) => ({
    reference: blocks(reference, pair.reference),
    distorted: blocks(distorted, pair.distorted, view),
  }));
  const inside = shown(view, common);
  const isWhole = inside.every((is) => is);
  const keep = (values: Float32Array) => (isWhole ? values : values.filter((_, index) => inside[index]));
  const join = (side: "reference" | "distorted", name: keyof Components) => {
    const all = sides.map((pair) => keep(pair[side][name]));
    const joined = new Float32Array(all.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const values of all) {
      joined.set(values, at);
      at += values.length;
    }
    return joined;
  };
  const of = (side: "reference" | "distorted"): Components => ({
    y: join(side, "y"),
    u: join(side, "u"),
    v: join(side, "v"),
  });
  const made = { reference: of("reference"), distorted: of("distorted") };
  return { count: made.reference.y.length, ...made };
}

function blocks(pictures: Pictures, index: number, view?: View): Components {
  const of = (samples: Uint8Array, { width, height }: typeof LUMA | typeof CHROMA, block: number) => {
    const whole = plane(samples, width, height);
    return shrink(view ? applyView(whole, view, { width, height }) : whole, block, block).data;
  };
  const chroma = (name: "u" | "v") => fromGrey(of(pictures.chroma(index, name), CHROMA, BLOCK / 2));
  return { y: of(pictures.luma(index), LUMA, BLOCK), u: chroma("u"), v: chroma("v") };
}

function fromGrey(values: Float32Array): Float32Array {
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) - GREY;
  return values;
}

/** Which blocks of the reference lie in the common part, and are shown whole by the distorted picture. */
function shown({ x, y }: View, common: Box): boolean[] {
  const [columns, rows] = [LUMA.width / BLOCK, LUMA.height / BLOCK];
  const within = (name: "x" | "y", { scale, shift }: AxisMap, index: number, count: number) => {
    const [first, end] = [index / count, (index + 1) / count];
    const { start, end: last } = common[name];
    const isCommon = first >= start - TOLERANCE && end <= last + TOLERANCE;
    return isCommon && scale * first + shift >= -TOLERANCE && scale * end + shift <= 1 + TOLERANCE;
  };
  return Array.from({ length: columns * rows }, (_, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    return within("x", x, column, columns) && within("y", y, row, rows);
  });
}

/** The blocks of which the reference's are at least three levels off grey. */
export function coloured({ reference, distorted }: Fields): Fields {
  const places = colouredPlaces(reference);
  const keep = (values: Float32Array) => gathered(values, places);
  const of = ({ y, u, v }: Components): Components => ({ y: keep(y), u: keep(u), v: keep(v) });
  const made = { reference: of(reference), distorted: of(distorted) };
  return { count: made.reference.y.length, ...made };
}

function colouredPlaces({ u, v }: Components): number[] {
  const places: number[] = [];
  for (let i = 0; i < u.length; i++)
    if (Math.abs(u[i] as number) + Math.abs(v[i] as number) >= COLOURED) places.push(i);
  return places;
}

function gathered(values: Float32Array, places: readonly number[]): Float32Array {
  const out = new Float32Array(places.length);
  for (let i = 0; i < out.length; i++) out[i] = values[places[i] as number] as number;
  return out;
}

const COLOURED = 3;

/** A sample of a picture's width: edges are known to that. */
const TOLERANCE = 1 / LUMA.width;
