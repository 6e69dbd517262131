/**
 * Averages aligned pictures over blocks. Encodes and grain change these averages little; other levels and matrices
 * change them clearly.
 */

import { perSide, type Side } from "../../contract/request.ts";
import { CHROMA, LUMA, type Pictures } from "../../media/pictures.ts";
import { type Box, WHOLE } from "../space/box.ts";
import { plane, shrink } from "../space/plane.ts";
import { type AxisMap, applyView, type View } from "../space/view.ts";
import { quantile } from "./regression.ts";

/** Width and height of a block of luma, in samples of small pictures. Blocks of chroma are half as large. */
const BLOCK = 8;
const [COLUMNS, ROWS] = [LUMA.width / BLOCK, LUMA.height / BLOCK];

/** Averages over blocks of both sides at the same places. Chroma is given as the difference from grey. */
export interface BlockMeans {
  readonly count: number;
  readonly reference: Components;
  readonly distorted: Components;
  /** By how much each block stands out from those around it. Encodes remove a part of that. */
  readonly detail: Readonly<Record<Side, Components>>;
  /** The part of the frame in which each block lies. What an encode does to the same part is similar in all frames. */
  readonly parts: Uint8Array;
}

export interface Components {
  readonly y: Float32Array;
  readonly u: Float32Array;
  readonly v: Float32Array;
}

/** Two frames that show the same, as indexes of pictures. */
export interface FramePair {
  readonly reference: number;
  readonly distorted: number;
}

const GREY = 128;

/**
 * Averages the blocks of some frames, seen through a view on the distorted side. `common` is the part of the
 * reference's frame that both sides show.
 */
export function blockMeansOf(
  { reference, distorted }: Readonly<Record<Side, Pictures>>,
  frames: readonly FramePair[],
  view: View,
  common: Box = WHOLE,
): BlockMeans {
  const inside = shown(view, common);
  const sides = {
    reference: frames.map((pair) => blocks(reference, pair.reference)),
    distorted: frames.map((pair) => blocks(distorted, pair.distorted, view)),
  };
  const isWhole = inside.every((is) => is);
  const keep = (values: Float32Array) => (isWhole ? values : values.filter((_, index) => inside[index]));
  const of = (side: Side, change = (values: Float32Array) => values): Components =>
    componentsOf((name) => joined(sides[side].map((frame) => keep(change(frame[name])))));
  const made = {
    ...perSide((side) => of(side)),
    detail: perSide((side) => of(side, (values) => standingOut(values, inside))),
  };
  const { length: count } = made.reference.y;
  const places = Array.from(inside.keys()).filter((index) => inside[index]);
  const parts = Uint8Array.from({ length: count }, (_, index) => partOf(places[index % places.length] ?? 0));
  return { count, ...made, parts };
}

/** Number of parts of the frame, across and down. */
const ACROSS = 6;
const DOWN = 4;

function partOf(place: number): number {
  const [column, row] = [place % COLUMNS, Math.floor(place / COLUMNS)];
  return Math.floor((column * ACROSS) / COLUMNS) + ACROSS * Math.floor((row * DOWN) / ROWS);
}

function componentsOf(of: (name: keyof Components) => Float32Array): Components {
  return { y: of("y"), u: of("u"), v: of("v") };
}

function joined(all: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const values of all) {
    out.set(values, at);
    at += values.length;
  }
  return out;
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

/** The difference of each block from the mean of itself and its neighbours, as far as they are `inside`. */
function standingOut(values: Float32Array, inside: readonly boolean[]): Float32Array {
  return values.map((value, index) => value - meanAround(values, inside, index));
}

function meanAround(values: Float32Array, inside: readonly boolean[], index: number): number {
  const [column, row] = [index % COLUMNS, Math.floor(index / COLUMNS)];
  let [sum, count] = [0, 0];
  for (let y = Math.max(0, row - 1); y <= Math.min(ROWS - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(COLUMNS - 1, column + 1); x++) {
      if (!inside[y * COLUMNS + x]) continue;
      sum += values[y * COLUMNS + x] as number;
      count++;
    }
  }
  return count > 0 ? sum / count : 0;
}

/** For each block of the reference, whether it lies in the common part and the distorted picture shows all of it. */
function shown({ x, y }: View, common: Box): boolean[] {
  const within = (name: "x" | "y", { scale, shift }: AxisMap, index: number, count: number) => {
    const [first, end] = [index / count, (index + 1) / count];
    const { start, end: last } = common[name];
    const isCommon = first >= start - TOLERANCE && end <= last + TOLERANCE;
    return isCommon && scale * first + shift >= -TOLERANCE && scale * end + shift <= 1 + TOLERANCE;
  };
  return Array.from({ length: COLUMNS * ROWS }, (_, index) => {
    const [column, row] = [index % COLUMNS, Math.floor(index / COLUMNS)];
    return within("x", x, column, COLUMNS) && within("y", y, row, ROWS);
  });
}

/** How far the reference's luma spreads, in levels: from its 2nd to its 98th percentile. */
export function lumaSpread({ reference }: BlockMeans): number {
  return quantile(reference.y, 0.98) - quantile(reference.y, 0.02);
}

/** The blocks in which the reference's chroma is at least three levels off grey, as the sum of |U| and |V|. */
export function coloured({ reference, distorted, detail, parts }: BlockMeans): BlockMeans {
  const places = colouredPlaces(reference);
  const of = (components: Components): Components =>
    componentsOf((name) => gathered(components[name], places));
  return {
    count: places.length,
    ...{ reference: of(reference), distorted: of(distorted), detail: perSide((side) => of(detail[side])) },
    parts: Uint8Array.from(places, (place) => parts[place] as number),
  };
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

/** Least |U| + |V| of a coloured block, in levels. Empirical. */
const COLOURED = 3;

/** Tolerance of edges: one sample of the width of a small picture. */
const TOLERANCE = 1 / LUMA.width;
