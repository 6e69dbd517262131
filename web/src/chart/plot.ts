/** Draws the visible scores with uPlot, which is given no more points than there are pixels. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Column } from "./data/column.ts";
import { axisRange, type Unit, unitOf, unitsOf } from "./data/metrics.ts";
import { sample } from "./data/sample.ts";
import { clock, clockDecimals } from "./data/timecode.ts";
import type { Drawing, Shown } from "./drawing.ts";
import { type Gestures, onGestures } from "./gestures.ts";
import { linePath } from "./line-path.ts";
import { strokeOf } from "./palette.ts";
import { drawBand, drawShots, drawThresholds } from "./plot-marks.ts";

export class Plot {
  readonly #host: HTMLElement;
  readonly #gestures: Gestures;
  #drawing: Drawing;
  #plot: uPlot;
  #stopGestures: () => void = () => {};
  readonly #ranges = new Map<string, [number, number]>();
  readonly #cursor = document.createElement("div");
  readonly #dots: HTMLElement[] = [];
  #marked: number | undefined;

  constructor(host: HTMLElement, drawing: Drawing, gestures: Gestures) {
    this.#host = host;
    this.#gestures = gestures;
    this.#drawing = drawing;
    this.#cursor.className = "cursor";
    this.#plot = this.#build();
    this.draw(drawing);
  }

  draw(drawing: Drawing): void {
    const before = this.#drawing;
    this.#drawing = drawing;
    // Axes and lines are created once; their contents and colours are evaluated at every draw.
    if (partsOf(before) !== partsOf(drawing)) this.#rebuild();
    this.#update();
  }

  resize(width: number, height: number): void {
    if (width <= 0 || (width === this.#plot.width && height === this.#plot.height)) return;
    this.#plot.setSize({ width, height });
    this.#update();
  }

  /** CSS pixels from the first to the last visible frame. */
  get width(): number {
    return this.#plot.over.clientWidth;
  }

  /** Marks a frame with a line and a dot on each score; undefined: none. */
  mark(frame: number | undefined): void {
    this.#marked = frame;
    this.#cursor.hidden = frame === undefined;
    for (const dot of this.#dots) dot.hidden = true;
    if (frame === undefined) return;
    const left = this.#plot.valToPos(frame, "x");
    this.#cursor.style.transform = `translateX(${left}px)`;
    const { shown, table, models, palette } = this.#drawing;
    for (const [index, { metric, index: place }] of shown.entries()) {
      const value = table.value(metric, frame);
      const dot = this.#dotAt(index);
      dot.hidden = Number.isNaN(value);
      if (dot.hidden) continue;
      dot.style.transform = `translate(${left}px, ${this.#plot.valToPos(value, unitOf(metric, models).key)}px)`;
      dot.style.background = strokeOf(palette, place).colour;
    }
  }

  /** Highlights the range that a drag would zoom to, in CSS pixels from the left; undefined: none. */
  select(range: readonly [number, number] | undefined): void {
    const [left, right] = range ?? [0, 0];
    const height = range === undefined ? 0 : this.#plot.over.clientHeight;
    this.#plot.setSelect(
      { left: Math.min(left, right), width: Math.abs(right - left), top: 0, height },
      false,
    );
  }

  destroy(): void {
    this.#stopGestures();
    this.#plot.destroy();
  }

  #dotAt(index: number): HTMLElement {
    const dot = this.#dots[index] ?? document.createElement("div");
    dot.className = "dot";
    this.#dots[index] = dot;
    if (dot.parentElement !== this.#plot.over) this.#plot.over.append(dot);
    return dot;
  }

  #rebuild(): void {
    this.destroy();
    this.#plot = this.#build();
  }

  #update(): void {
    const { table, shown, view } = this.#drawing;
    const { from, to } = table.rowsWithin(view.from, view.to);
    const pixels = Math.max(50, this.#plot.over.clientWidth || this.#plot.width);
    const columns = shown.map(({ metric }) => table.column(metric) ?? EMPTY);
    const { rows, values } = sample(columns, from, to, pixels);
    this.#rangeUnits(columns, from, to);
    this.#plot.batch(() => {
      this.#plot.setData([rows.map((row) => row * table.step), ...values], false);
      this.#plot.setScale("x", { min: view.from, max: view.to });
      for (const [key, [min, max]] of this.#ranges) this.#plot.setScale(key, { min, max });
    });
    this.mark(this.#marked);
  }

  #units(): Map<string, Unit> {
    const { shown, models } = this.#drawing;
    return unitsOf(
      shown.map(({ metric }) => metric),
      models,
    );
  }

  /** Sets the axes so that all visible scores and thresholds are within them. */
  #rangeUnits(columns: readonly Column[], from: number, to: number): void {
    const { shown, models, thresholds, gates, isFull } = this.#drawing;
    this.#ranges.clear();
    for (const unit of this.#units().values()) {
      const members = shown.map(({ metric }) => unitOf(metric, models).key === unit.key);
      const values = columns.flatMap((column, index) => {
        if (!members[index]) return [];
        const { low, high } = column.extremes(from, to);
        return low < 0 ? [] : [column.at(low), column.at(high)];
      });
      const limits = [...thresholds, ...gates].filter(
        ({ metric }) => unitOf(metric, models).key === unit.key,
      );
      const all = [...values, ...limits.map(({ limit }) => limit)];
      const bounds = isFull ? unit.bounds.filter((bound) => Number.isFinite(bound)) : [];
      this.#ranges.set(unit.key, axisRange(Math.min(...all, ...bounds), Math.max(...all, ...bounds), unit));
    }
  }

  #build(): uPlot {
    const units = [...this.#units().values()];
    const options: uPlot.Options = {
      width: this.#host.clientWidth || 600,
      height: this.#host.clientHeight || 320,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, auto: false },
        ...Object.fromEntries(units.map(({ key }) => [key, { auto: false }])),
      },
      axes: [this.#timeAxis(), ...units.slice(0, 2).map((unit, index) => this.#unitAxis(unit, index))],
      series: [{}, ...this.#drawing.shown.map((shown) => this.#line(shown))],
      padding: [14, 14, 0, units.length === 0 ? 14 : 0],
      hooks: {
        drawClear: [(plot) => drawBand(plot, this.#drawing), (plot) => drawShots(plot, this.#drawing)],
        draw: [(plot) => drawThresholds(plot, this.#drawing)],
      },
    };
    const plot = new uPlot(options, [[0], ...this.#drawing.shown.map(() => [null])], this.#host);
    plot.over.append(this.#cursor);
    this.#stopGestures = onGestures(plot.over, this.#gestures);
    return plot;
  }

  #line({ metric, index, dash: own }: Shown): uPlot.Series {
    const dash = own ?? strokeOf(this.#drawing.palette, index).dash;
    return {
      label: metric,
      scale: unitOf(metric, this.#drawing.models).key,
      stroke: () => strokeOf(this.#drawing.palette, index).colour,
      width: 1.25,
      paths: linePath,
      auto: false,
      ...(dash.length > 0 && { dash: [...dash] }),
    };
  }

  #timeAxis(): uPlot.Axis {
    return {
      ...this.#axis(),
      space: this.#host.clientWidth < 500 ? 60 : 90,
      size: this.#drawing.rate === undefined ? 32 : 46,
      incrs: INCREMENTS,
      values: (_plot, frames, _axis, _space, step) => {
        const { rate } = this.#drawing;
        const decimals = rate === undefined ? 0 : clockDecimals(step / rate);
        return frames.map((frame) => {
          const number = frame.toLocaleString("en-US");
          return rate === undefined ? number : `${number}\n${clock(frame / rate, decimals)}`;
        });
      },
    };
  }

  #unitAxis(unit: Unit, index: number): uPlot.Axis {
    const axis = {
      ...this.#axis(),
      scale: unit.key,
      label: unit.label,
      labelSize: 18,
      size: 52,
      labelFont: FONT,
    };
    // 1 is the right side: uPlot's const enum Side does not exist at run time.
    return index === 0 ? axis : Object.assign(axis, { side: 1, grid: { show: false } });
  }

  #axis(): uPlot.Axis {
    const line = () => this.#drawing.palette.line;
    return {
      font: FONT,
      stroke: () => this.#drawing.palette.quiet,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 5 },
    };
  }
}

/** Identifies the set of axes and lines. */
function partsOf({ shown, rate }: Drawing): string {
  return [rate !== undefined, ...shown.map(({ metric }) => metric)].join("\n");
}

const FONT = '12px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
/** Whole frames only. */
const INCREMENTS = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map((by) => by * 10 ** power)).flat();
const EMPTY = new Column(0);
