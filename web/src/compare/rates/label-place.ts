/** Places the points' numbers in a chart so that none overlap, in CSS pixels. */

export interface Spot {
  readonly x: number;
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Height of a line of text, its baseline at the bottom, and width of a digit. */
const HEIGHT = 13;
const DIGIT = 8;
/** Half the size of a point's mark. */
const MARK = 7;
/** Distances from a point to its number; the nearest free place is used. */
const DISTANCES = [8, 20, 34, 48];

/** Returns the left end of each number's baseline. Earlier points take precedence. */
export function labelPlaces(points: readonly Spot[], texts: readonly string[]): readonly Spot[] {
  const marks = points.map(({ x, y }) => ({
    left: x - MARK,
    right: x + MARK,
    top: y - MARK,
    bottom: y + MARK,
  }));
  const taken: Box[] = [];
  return points.map((point, index) => {
    const width = (texts[index] ?? "").length * DIGIT;
    const spots = spotsAround(point, width);
    const others = marks.filter((_, other) => other !== index);
    const covers = (spot: Spot, boxes: readonly Box[]) =>
      boxes.filter((box) => overlap(boxOf(spot, width), box)).length;
    // Covering a mark is better than covering another number.
    const counts = spots.map((spot) => covers(spot, others) + covers(spot, taken) * points.length);
    const spot = spots[counts.indexOf(Math.min(...counts))] ?? point;
    taken.push(boxOf(spot, width));
    return spot;
  });
}

/** Right and left, above and below, then straight above and below; near places first. */
function spotsAround({ x, y }: Spot, width: number): readonly Spot[] {
  return DISTANCES.flatMap((by) => [
    { x: x + by, y: y - by },
    { x: x - by - width, y: y - by },
    { x: x + by, y: y + by + HEIGHT - 4 },
    { x: x - by - width, y: y + by + HEIGHT - 4 },
    { x: x - width / 2, y: y - by - 4 },
    { x: x - width / 2, y: y + by + HEIGHT },
  ]);
}

function boxOf({ x, y }: Spot, width: number): Box {
  return { left: x, right: x + width, top: y - HEIGHT, bottom: y };
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
