/** The lines of the frame chart, as stored in the URL. */
import { useEffect, useMemo } from "react";
import { useSearchParams } from "react-router";
import { type ModelRanges, metricOf } from "../chart/data/metrics.ts";
import type { Drawing } from "../chart/drawing.ts";
import type { Palette } from "../chart/palette.ts";
import type { View } from "../chart/view.ts";
import { frameRateOf } from "../job/frames/frame-rate.ts";
import { differenceOf, drawnOf, withDrawn } from "./compare-query.ts";
import { type Compared, columnOf, dashOf } from "./compared.ts";
import { DIFFERENCE, type Overlay } from "./overlay.ts";

/** Ids of the jobs drawn, and a function that toggles one. */
export function useDrawn(compared: readonly Compared[]): readonly [readonly string[], (id: string) => void] {
  const [params, setParams] = useSearchParams();
  const text = new URLSearchParams(
    [...params].filter(([name]) => name === "hide" || name === "show"),
  ).toString();
  const ids = useMemo(() => compared.map(({ id }) => id), [compared]);
  const drawn = useMemo(() => drawnOf(new URLSearchParams(text), ids), [text, ids]);
  const toggle = (id: string) => setParams((params) => withDrawn(params, ids, id), { replace: true });
  return [drawn, toggle];
}

/** The two jobs whose difference is drawn; undefined if none, or if they are not compared. */
export function useDifference(
  overlay: Overlay,
  compared: readonly Compared[],
  metric: string,
): readonly [Compared, Compared] | undefined {
  const [params] = useSearchParams();
  const text = params.get("diff") ?? "";
  const pair = useMemo(() => {
    const ids = differenceOf(new URLSearchParams({ diff: text })) ?? [];
    const [one, other] = ids.map((id) => compared.find((each) => each.id === id));
    return one && other ? ([one, other] as const) : undefined;
  }, [text, compared]);
  const numbers = pair?.map(({ number }) => number).join();
  useEffect(() => {
    const [one, other] = (numbers ?? "").split(",").map((number) => columnOf(metric, Number(number)));
    overlay.subtract(numbers === undefined || !one || !other ? undefined : [one, other]);
  }, [overlay, metric, numbers]);
  return pair;
}

interface Lines {
  readonly overlay: Overlay;
  /** Changes as frames are loaded. */
  readonly version: number;
  readonly compared: readonly Compared[];
  readonly metric: string;
  readonly models: ModelRanges;
  readonly limit: number | undefined;
  readonly drawn: readonly string[];
  readonly hasDifference: boolean;
  readonly view: View;
  readonly palette: Palette;
}

/** Returns the drawing of the chart, which is the same object as long as nothing visible changes. */
export function useDrawing(lines: Lines): Drawing {
  const { overlay, version, compared, metric, models, limit, drawn, hasDifference, view, palette } = lines;
  const { table } = overlay;
  const rate = compared.map(({ job }) => frameRateOf(job)).find((one) => one !== undefined);
  const shown = useMemo(() => {
    const lines = compared.filter(({ id }) => drawn.includes(id));
    const all = lines.map(({ number }) => ({
      metric: columnOf(metric, number),
      index: number - 1,
      dash: dashOf(number),
    }));
    return hasDifference ? [...all, { metric: DIFFERENCE, index: -1, dash: [] }] : all;
  }, [compared, metric, drawn, hasDifference]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the table's content
  return useMemo(() => {
    const line = shown.find((one) => metricOf(one.metric) === metric);
    const thresholds = limit === undefined || line === undefined ? [] : [{ metric: line.metric, limit }];
    return {
      table,
      shown,
      models,
      view,
      thresholds,
      segments: [],
      gates: [],
      shots: [],
      rate,
      palette,
      isFull: false,
    };
  }, [table, version, shown, models, metric, view, limit, rate, palette]);
}
