/** Builds the path of a line on the canvas. */
import uPlot from "uplot";
import { isInked, type Point, uprightsOf } from "./uprights.ts";

const straight = uPlot.paths.linear?.();

/**
 * Connects the points if there are fewer of them than pixels, and draws vertical strokes otherwise: in a
 * browser without a GPU, a line with a thousand zigzags takes a tenth of a second, and as many strokes take a
 * few milliseconds.
 */
export const linePath: uPlot.Series.PathBuilder = (plot, index, from, to) => {
  const { pxRatio } = uPlot;
  if (to - from < plot.bbox.width / pxRatio) return straight?.(plot, index, from, to) ?? null;
  const { width = 1, dash = [] } = plot.series[index] ?? {};
  const stroke = new Path2D();
  const half = (width * pxRatio) / 2;
  const [shortest = 0] = dash;
  for (const { column, top, bottom } of uprightsOf(pointsOf(plot, index, from, to))) {
    // Each stroke's dashes begin at its top, so a stroke no longer than the first dash would never have a gap.
    // Dash lengths are in canvas pixels: uPlot passes them on unchanged.
    if (bottom - top < shortest && !isInked(dash, column * pxRatio)) continue;
    const x = (column + 0.5) * pxRatio;
    stroke.moveTo(x, top - half);
    stroke.lineTo(x, bottom + half);
  }
  return { stroke };
};

/** Columns in CSS pixels, heights in canvas pixels. */
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
