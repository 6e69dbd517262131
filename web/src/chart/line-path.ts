/** The shape of a line on the canvas. */
import uPlot from "uplot";
import { isInked, type Point, uprightsOf } from "./uprights.ts";

const straight = uPlot.paths.linear?.();

/**
 * From value to value while there are fewer than pixels, else upright strokes: one line through a thousand zigzags
 * takes a browser without a graphics card a tenth of a second, as many strokes a few milliseconds.
 */
export const linePath: uPlot.Series.PathBuilder = (plot, index, from, to) => {
  const { pxRatio } = uPlot;
  if (to - from < plot.bbox.width / pxRatio) return straight?.(plot, index, from, to) ?? null;
  const { width = 1, dash = [] } = plot.series[index] ?? {};
  const stroke = new Path2D();
  const half = (width * pxRatio) / 2;
  const [shortest = 0] = dash;
  for (const { column, top, bottom } of uprightsOf(pointsOf(plot, index, from, to))) {
    // The dashes of each stroke begin at its top: of one that is no longer than the first, nothing would be left out.
    // Their lengths are in the canvas's pixels: uPlot gives them to it as they are.
    if (bottom - top < shortest && !isInked(dash, column * pxRatio)) continue;
    const x = (column + 0.5) * pxRatio;
    stroke.moveTo(x, top - half);
    stroke.lineTo(x, bottom + half);
  }
  return { stroke };
};

/** Columns in CSS pixels, heights in the canvas's. */
function* pointsOf(plot: uPlot, index: number, from: number, to: number): Generator<Point> {
  const [positions, values = []] = [plot.data[0], plot.data[index]];
  const { scale = "y" } = plot.series[index] ?? {};
  for (let at = from; at <= to; at++) {
    const x = plot.valToPos(positions[at] ?? Number.NaN, "x", true);
    const value = values[at];
    const y = typeof value === "number" ? plot.valToPos(value, scale, true) : Number.NaN;
    yield { column: Math.floor(x / uPlot.pxRatio), y };
  }
}
