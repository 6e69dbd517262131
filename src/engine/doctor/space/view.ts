/** Maps from the reference's picture to the distorted one. */
import { mirror, type Plane, transpose } from "./plane.ts";

/**
 * The map of one axis: position in the distorted picture = scale × position in the reference's + shift. Positions are
 * fractions of the whole frame, from 0 at its left or top edge to 1.
 */
export interface AxisMap {
  readonly scale: number;
  readonly shift: number;
}

/** Turns the distorted picture to the reference's orientation: first exchanges rows and columns, then mirrors. */
export interface Turn {
  readonly transposed: boolean;
  readonly mirrorX: boolean;
  readonly mirrorY: boolean;
}

/** `x` and `y` map the reference's picture to the distorted one after its turn. */
export interface View {
  readonly turn: Turn;
  readonly x: AxisMap;
  readonly y: AxisMap;
}

export const UPRIGHT: Turn = { transposed: false, mirrorX: false, mirrorY: false };
const WHOLE: AxisMap = { scale: 1, shift: 0 };
export const IDENTITY: View = { turn: UPRIGHT, x: WHOLE, y: WHOLE };

/** The eight orientations: upright, mirrored and turned by 180°, then those that exchange width and height. */
export const TURNS: readonly Turn[] = [false, true].flatMap((transposed) => [
  { transposed, mirrorX: false, mirrorY: false },
  { transposed, mirrorX: true, mirrorY: false },
  { transposed, mirrorX: false, mirrorY: true },
  { transposed, mirrorX: true, mirrorY: true },
]);

/** Turns a distorted plane to the reference's orientation; the plane itself if no turn is needed. */
export function applyTurn(distorted: Plane, turn: Turn): Plane {
  const unmirrored = turn.transposed ? transpose(distorted) : distorted;
  return turn.mirrorX || turn.mirrorY ? mirror(unmirrored, { x: turn.mirrorX, y: turn.mirrorY }) : unmirrored;
}

/** Whether maps leave the whole picture in its place. */
export function isInPlace({ x, y }: Pick<View, "x" | "y">): boolean {
  return [x, y].every(({ scale, shift }) => scale === 1 && shift === 0);
}

/** The inverse map. */
export function inverse({ scale, shift }: AxisMap): AxisMap {
  return { scale: 1 / scale, shift: -shift / scale };
}

/**
 * Samples the distorted plane at the places of the reference's samples (bilinear). `size` is that of the reference.
 * Beyond the edge of the distorted picture, its outermost samples are repeated.
 */
export function applyView(distorted: Plane, view: View, size: { width: number; height: number }): Plane {
  const source = applyTurn(distorted, view.turn);
  const { width, height } = size;
  if (isInPlace(view) && source.width === width && source.height === height) return source;
  const columns = positions(view.x, width, source.width);
  const rows = positions(view.y, height, source.height);
  const out = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const [top, down] = split(rows[y] as number, source.height);
    for (let x = 0; x < width; x++) {
      const [left, right] = split(columns[x] as number, source.width);
      out[y * width + x] = interpolate(source, { left, right, top, down });
    }
  }
  return { width, height, data: out };
}

function interpolate(
  { data, width }: Plane,
  { left, right, top, down }: { left: number; right: number; top: number; down: number },
): number {
  const at = top * width + left;
  const upper = (data[at] as number) * (1 - right) + (data[at + 1] as number) * right;
  const lower = (data[at + width] as number) * (1 - right) + (data[at + width + 1] as number) * right;
  return upper * (1 - down) + lower * down;
}

/** Positions of the reference's sample centers among the distorted samples, limited to the distorted plane. */
function positions({ scale, shift }: AxisMap, count: number, among: number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) => {
    const position = (scale * ((index + 0.5) / count) + shift) * among - 0.5;
    return Math.min(among - 1, Math.max(0, position));
  });
}

/** The sample before a position, chosen so that another one follows it, and the fraction in between. */
function split(position: number, among: number): [number, number] {
  const before = Math.min(among - 2, Math.floor(position));
  return [before, position - before];
}
