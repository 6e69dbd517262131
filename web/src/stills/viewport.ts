/** Which part of a picture is seen, and how large: the same for all panes that show the same picture. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** In CSS pixels from the left upper corner of a pane. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `scale`: CSS pixels for a pixel of the picture. `x`, `y`: the pixel of the picture in the middle of the pane. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const LARGEST_SCALE = 32;

/** All of the picture. */
export function fitOf(picture: Size, pane: Size): View {
  const scale = Math.min(pane.width / picture.width, pane.height / picture.height);
  return { scale, x: picture.width / 2, y: picture.height / 2 };
}

/** Whether a view shows all of the picture. */
export function isAll(view: View, picture: Size, pane: Size): boolean {
  return view.scale <= fitOf(picture, pane).scale * 1.001;
}

/**
 * Nothing is shown beyond the picture's edge while there is more of it than fits, and it is no smaller than
 * fits, or than `smallest` where that is less.
 */
export function within(view: View, picture: Size, pane: Size, smallest = Number.POSITIVE_INFINITY): View {
  const least = Math.min(smallest, fitOf(picture, pane).scale);
  const scale = Math.min(LARGEST_SCALE, Math.max(least, view.scale));
  return {
    scale,
    x: centred(view.x, picture.width, pane.width / scale),
    y: centred(view.y, picture.height, pane.height / scale),
  };
}

function centred(at: number, length: number, seen: number): number {
  if (seen >= length) return length / 2;
  return Math.min(length - seen / 2, Math.max(seen / 2, at));
}

/** What lies under a point of the pane stays under it. */
export function zoomAt(view: View, factor: number, point: Point, pane: Size): View {
  const [dx, dy] = [point.x - pane.width / 2, point.y - pane.height / 2];
  const scale = view.scale * factor;
  return { scale, x: view.x + dx / view.scale - dx / scale, y: view.y + dy / view.scale - dy / scale };
}

/** Two fingers take the picture along, and stretch it around what is between them. */
export function pinched(
  view: View,
  before: readonly [Point, Point],
  after: readonly [Point, Point],
  pane: Size,
): View {
  const [from, to] = [middleOf(before), middleOf(after)];
  const factor = distanceOf(after) / distanceOf(before);
  return zoomAt(panBy(view, to.x - from.x, to.y - from.y), factor, to, pane);
}

function middleOf([one, other]: readonly [Point, Point]): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

/** Fingers on one spot are a pixel apart. */
function distanceOf([one, other]: readonly [Point, Point]): number {
  return Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
}

/** The picture follows by CSS pixels. */
export function panBy(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
}

/**
 * Where the picture's corner is in the pane, and its scale, as CSS writes it. The corner is on a whole pixel
 * of the screen, which has `ratio` for a CSS pixel: at a whole zoom no sample is smeared over two.
 */
export function transformOf({ scale, x, y }: View, pane: Size, ratio: number): string {
  const at = (place: number) => Math.round(place * ratio) / ratio;
  return `translate(${at(pane.width / 2 - x * scale)}px, ${at(pane.height / 2 - y * scale)}px) scale(${scale})`;
}

/** The column of the picture at a distance from the pane's left edge. */
export function pixelAt(left: number, { scale, x }: View, pane: Size): number {
  return x + (left - pane.width / 2) / scale;
}
