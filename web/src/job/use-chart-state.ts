/** The state of the chart, kept in the URL: a permalink, and Back restores the previous view. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import type { ModelRanges } from "../chart/data/metrics.ts";
import { type Threshold, thresholdParam, thresholdsOf } from "../chart/data/thresholds.ts";
import { type View, viewOf, viewParams } from "../chart/view.ts";

/** Milliseconds without another change after which a gesture has ended and its range enters the history. */
const SETTLED_MS = 350;

/** Sets these parameters and keeps all others; an empty list removes one. */
type Change = Readonly<Record<string, readonly string[]>>;

function changed(params: URLSearchParams, change: Change): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, values] of Object.entries(change)) {
    next.delete(name);
    for (const value of values) next.append(name, value);
  }
  return next;
}

export function useView(total: number): readonly [View, (view: View) => void] {
  const [params, setParams] = useSearchParams();
  const [from, to] = [params.get("from"), params.get("to")];
  const [view, setView] = useState(() => viewOf(from, to, total));
  /** The last range that this page wrote to the URL. */
  const written = useRef(`${from}-${to}`);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const write = useRef(setParams);
  useEffect(() => {
    write.current = setParams;
  });
  const follow = useCallback(
    (from: string | null, to: string | null) => {
      if (written.current === `${from}-${to}`) return;
      written.current = `${from}-${to}`;
      clearTimeout(timer.current);
      setView(viewOf(from, to, total));
    },
    [total],
  );
  useEffect(() => follow(from, to), [follow, from, to]);
  // Listens to popstate, because going back before the newest range was rendered from the URL triggers no
  // rendering.
  useEffect(() => {
    const look = () => {
      const now = new URLSearchParams(location.search);
      follow(now.get("from"), now.get("to"));
    };
    addEventListener("popstate", look);
    return () => removeEventListener("popstate", look);
  }, [follow]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = useCallback(
    (next: View) => {
      setView(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        const { from, to } = viewParams(next, total);
        const key = `${from ?? null}-${to ?? null}`;
        if (key === written.current) return;
        written.current = key;
        write.current((params) =>
          changed(params, { from: from === undefined ? [] : [from], to: to === undefined ? [] : [to] }),
        );
      }, SETTLED_MS);
    },
    [total],
  );
  return [view, change];
}

/** The metrics drawn: those in the URL, or else the models'. */
export function useShown(
  metrics: readonly string[],
  models: ModelRanges,
): readonly [readonly string[], (shown: readonly string[]) => void] {
  const [params, setParams] = useSearchParams();
  const text = params.get("metrics");
  const usual = useMemo(() => {
    const drawn = metrics.filter((metric) => models.has(metric));
    return drawn.length > 0 ? drawn : metrics.slice(0, 1);
  }, [metrics, models]);
  const shown = useMemo(() => {
    const named = metrics.filter((metric) => text?.split(",").includes(metric));
    return text === null ? usual : named;
  }, [text, metrics, usual]);
  const change = (next: readonly string[]) => {
    const isUsual = next.join() === usual.join();
    setParams((params) => changed(params, { metrics: isUsual ? [] : [next.join(",")] }), { replace: true });
  };
  return [shown, change];
}

export function useThresholds(
  metrics: readonly string[],
): readonly [readonly Threshold[], (thresholds: readonly Threshold[]) => void] {
  const [params, setParams] = useSearchParams();
  const texts = params.getAll("threshold").join("\n");
  const thresholds = useMemo(
    () => (texts === "" ? [] : thresholdsOf(texts.split("\n"), metrics)),
    [texts, metrics],
  );
  const change = (next: readonly Threshold[]) => {
    const values = next.map((each) => thresholdParam(each, metrics));
    setParams((params) => changed(params, { threshold: values }), { replace: true });
  };
  return [thresholds, change];
}

/** The selected frame. */
export function usePicked(total: number): readonly [number | undefined, (frame: number | undefined) => void] {
  const [params, setParams] = useSearchParams();
  const text = params.get("frame");
  const frame = text !== null && /^\d{1,10}$/.test(text) && Number(text) < total ? Number(text) : undefined;
  const change = (next: number | undefined) => {
    setParams((params) => changed(params, { frame: next === undefined ? [] : [String(next)] }), {
      replace: true,
    });
  };
  return [frame, change];
}
