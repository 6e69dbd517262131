/** The visible part of an image and its scale, shared by all panes that show it. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** In CSS pixels from the top left corner of a pane. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `scale`: CSS pixels per image pixel. `x`, `y`: the image pixel in the middle of the pane. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const LARGEST_SCALE = 32;

/** The view that shows the whole image. */
export function fitOf(picture: Size, pane: Size): View {
  const scale = Math.min(pane.width / picture.width, pane.height / picture.height);
  return { scale, x: picture.width / 2, y: picture.height / 2 };
}

/** Whether a view shows the whole image. */
export function isAll(view: View, picture: Size, pane: Size): boolean {
  return view.scale <= fitOf(picture, pane).scale * 1.001;
}

/**
 * Limits a view: it shows nothing beyond the edge of an image that is larger than the pane, and its scale is
 * at least the one that fits, or `smallest` if that is less.
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

/** Zooms around a point of the pane. */
export function zoomAt(view: View, factor: number, point: Point, pane: Size): View {
  const [dx, dy] = [point.x - pane.width / 2, point.y - pane.height / 2];
  const scale = view.scale * factor;
  return { scale, x: view.x + dx / view.scale - dx / scale, y: view.y + dy / view.scale - dy / scale };
}

/** Returns the view after a gesture of two fingers, which pans the image and zooms around their midpoint. */
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

/** At least one pixel, so that fingers on one spot have a distance. */
function distanceOf([one, other]: readonly [Point, Point]): number {
  return Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
}

/** Pans by CSS pixels. */
export function panBy(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
}

/**
 * The position of the image's corner in the pane and its scale, as a CSS transform. The corner is on a whole device
 * pixel (`ratio` per CSS pixel), so that at integer zoom no sample is spread over two.
 */
export function transformOf({ scale, x, y }: View, pane: Size, ratio: number): string {
  const at = (place: number) => Math.round(place * ratio) / ratio;
  return `translate(${at(pane.width / 2 - x * scale)}px, ${at(pane.height / 2 - y * scale)}px) scale(${scale})`;
}

/** The image pixel at a point of the pane. */
export function pointAt({ x, y }: Point, view: View, pane: Size): Point {
  return { x: pixelAt(x, view, pane), y: view.y + (y - pane.height / 2) / view.scale };
}

/** The image column at a distance from the pane's left edge. */
export function pixelAt(left: number, { scale, x }: View, pane: Size): number {
  return x + (left - pane.width / 2) / scale;
}
