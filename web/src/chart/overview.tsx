/** Overview of the whole video, with the visible range marked. */
import { type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import type { Column } from "./data/column.ts";
import type { FrameTable } from "./data/frame-table.ts";
import { sample } from "./data/sample.ts";
import { type Palette, strokeOf } from "./palette.ts";
import { panned, type View, withinTotal } from "./view.ts";

interface OverviewProps {
  readonly table: FrameTable;
  readonly version: number;
  /** The metric drawn, and its index among all metrics. */
  readonly metric: string;
  readonly index: number;
  readonly palette: Palette;
  readonly view: View;
  readonly onView: (view: View) => void;
}

/** The part of the brush that is being dragged. */
type Hold = "from" | "to" | "both";

/** CSS pixels around an end that count as the end. */
const END = 10;

export function Overview({ table, version, metric, index, palette, view, onView }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the table's content
  useLayoutEffect(() => {
    const column = table.column(metric);
    if (canvas.current === null || column === undefined) return;
    draw(canvas.current, column, table.rows, strokeOf(palette, index).colour);
  }, [table, version, metric, index, palette, width]);
  const last = Math.max(1, table.total - 1);
  const [left, right] = [(view.from / last) * 100, (view.to / last) * 100];
  const brush = useBrush(table.total, view, onView);
  return (
    <div className="overview" {...brush} aria-hidden="true">
      <canvas ref={canvas} />
      <span className="beyond" style={{ left: 0, width: `${left}%` }} />
      <span className="brush" style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }} />
      <span className="beyond" style={{ left: `${right}%`, right: 0 }} />
    </div>
  );
}

function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (element.current !== null) sizes.observe(element.current);
    return () => sizes.disconnect();
  }, [element]);
  return width;
}

/** Lets the user drag the ends or the range between them; a press elsewhere moves the range there. */
function useBrush(total: number, view: View, onView: (view: View) => void) {
  const held = useRef<{ readonly hold: Hold; readonly frame: number; readonly view: View }>(undefined);
  const frameOf = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - left) / width)) * (total - 1);
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      const frame = frameOf(event);
      const reach = (END / event.currentTarget.clientWidth) * (total - 1);
      const isBeside = frame < view.from - reach || frame > view.to + reach;
      const start = isBeside ? panned(view, frame - (view.from + view.to) / 2, total) : view;
      held.current = { hold: isBeside ? "both" : holdOf(frame, view, reach), frame, view: start };
      if (isBeside) onView(start);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (held.current === undefined) return;
      const { hold, frame, view: start } = held.current;
      const to = frameOf(event);
      if (hold === "both") onView(panned(start, to - frame, total));
      else {
        const other = hold === "from" ? start.to : start.from;
        onView(withinTotal({ from: Math.min(to, other), to: Math.max(to, other) }, total));
      }
    },
    onPointerUp: () => {
      held.current = undefined;
    },
    onPointerCancel: () => {
      held.current = undefined;
    },
  };
}

function holdOf(frame: number, { from, to }: View, reach: number): Hold {
  const [before, after] = [Math.abs(frame - from), Math.abs(frame - to)];
  if (Math.min(before, after) > reach) return "both";
  return before <= after ? "from" : "to";
}

/** Draws a line from the smallest to the largest score of every pixel. */
function draw(canvas: HTMLCanvasElement, column: Column, rows: number, colour: string): void {
  const [width, height] = [canvas.clientWidth * devicePixelRatio, canvas.clientHeight * devicePixelRatio];
  if (width <= 0) return;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const { low, high } = column.extremes(0, rows);
  if (context === null || low < 0) return;
  const [least, most] = [column.at(low), column.at(high)];
  const span = Math.max(most - least, 1e-9);
  const y = (value: number) => 2 + (1 - (value - least) / span) * (height - 4);
  context.strokeStyle = colour;
  context.lineWidth = Math.max(1, devicePixelRatio);
  context.beginPath();
  const { rows: places, values } = sample([column], 0, rows, width);
  let isBroken = true;
  for (const [at, row] of places.entries()) {
    const value = values[0]?.[at] ?? null;
    const x = (row / Math.max(1, rows - 1)) * width;
    if (value === null) isBroken = true;
    else if (isBroken) {
      context.moveTo(x, y(value));
      isBroken = false;
    } else context.lineTo(x, y(value));
  }
  context.stroke();
}
