/** Draws the band of segments, the boundaries of shots and the thresholds. */
import type uPlot from "uplot";
import { metricOf, unitOf } from "./data/metrics.ts";
import type { Segment } from "./data/segments.ts";
import type { Drawing } from "./drawing.ts";
import { nameOf } from "./metric-name.tsx";
import { type Palette, strokeOf } from "./palette.ts";

/** In CSS pixels. */
const BAND = 7;

/** A thin band above the plot: solid for scored segments, dotted for running ones, outlined for waiting ones. */
export function drawBand(plot: uPlot, { segments, view, palette }: Drawing): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const height = BAND * scale;
  const top = bbox.top - height - 2 * scale;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, top - scale, bbox.width, height + 2 * scale);
  ctx.clip();
  for (const segment of segments) {
    if (segment.last + 1 < view.from || segment.first > view.to) continue;
    const left = plot.valToPos(segment.first, "x", true);
    const length = plot.valToPos(segment.last + 1, "x", true) - left;
    // Leaves a gap of one pixel between neighbours, unless they are too narrow.
    const width = length > 6 * scale ? length - scale : length + 0.5;
    drawSegment(ctx, segment, palette, [left, top, width, height], scale);
  }
  ctx.restore();
}

function drawSegment(
  ctx: CanvasRenderingContext2D,
  { progress }: Segment,
  palette: Palette,
  [left, top, width, height]: readonly [number, number, number, number],
  scale: number,
): void {
  const colours = {
    done: palette.good,
    running: palette.running,
    waiting: palette.quiet,
    failed: palette.bad,
  };
  ctx.fillStyle = colours[progress];
  ctx.strokeStyle = colours[progress];
  ctx.lineWidth = scale;
  ctx.setLineDash([]);
  if (progress === "done" || progress === "failed") {
    ctx.fillRect(left, top, width, height);
  } else if (progress === "running") {
    for (let x = left; x < left + width; x += 6 * scale)
      ctx.fillRect(x, top, Math.min(3 * scale, left + width - x), height);
  } else {
    ctx.strokeRect(left + scale / 2, top + scale / 2, Math.max(0, width - scale), height - scale);
  }
}

/** Minimum distance of shot boundaries in CSS pixels; closer lines would merge into a surface. */
const CLOSEST_SHOTS = 6;

/** Draws a thin vertical line where each shot but the first begins, unless they are too close to each other. */
export function drawShots(plot: uPlot, { shots, view, palette }: Drawing): void {
  const { ctx, bbox } = plot;
  const starts = shots.slice(1).filter(({ firstFrame }) => firstFrame >= view.from && firstFrame <= view.to);
  if (starts.length * CLOSEST_SHOTS * devicePixelRatio > bbox.width) return;
  ctx.save();
  ctx.strokeStyle = palette.quiet;
  ctx.globalAlpha = 0.5;
  ctx.lineWidth = devicePixelRatio;
  for (const { firstFrame } of starts) {
    const x = Math.round(plot.valToPos(firstFrame, "x", true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** Draws dashed horizontal lines, each labelled with its limit, or as a gate. */
export function drawThresholds(plot: uPlot, { thresholds, gates, shown, models, palette }: Drawing): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = `${12 * scale}px system-ui, "DejaVu Sans", sans-serif`;
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  ctx.lineWidth = 1.5 * scale;
  const metrics = shown.map((line) => metricOf(line.metric));
  const named = (metric: string, text: string) =>
    shown.length > 1 ? `${nameOf(metricOf(metric), metrics)} ${text}` : text;
  const lines = [
    ...thresholds.map((each) => ({ ...each, text: named(each.metric, String(each.limit)) })),
    ...gates.map((each) => ({ ...each, text: named(each.metric, each.label) })),
  ];
  for (const { metric, limit, text } of lines) {
    const line = shown.find((one) => one.metric === metric);
    if (line === undefined) continue;
    const y = plot.valToPos(limit, unitOf(metric, models).key, true);
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    const { colour } = strokeOf(palette, line.index);
    ctx.strokeStyle = colour;
    ctx.setLineDash([6 * scale, 4 * scale]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const width = ctx.measureText(text).width;
    ctx.fillStyle = palette.surface;
    // The label is above the line, or below it if it would cover the band of segments.
    const bottom = y - 16 * scale < bbox.top ? y + 17 * scale : y - scale;
    ctx.fillRect(
      bbox.left + bbox.width - width - 8 * scale,
      bottom - 15 * scale,
      width + 6 * scale,
      15 * scale,
    );
    ctx.fillStyle = colour;
    ctx.fillText(text, bbox.left + bbox.width - 5 * scale, bottom - scale);
  }
  ctx.restore();
}
