/** The plot, with zooming, panning and marking. */
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef } from "react";
import { actionOf } from "./chart-keys.ts";
import type { Drawing } from "./drawing.ts";
import type { Gestures } from "./gestures.ts";
import { Plot } from "./plot.ts";
import { panned, type View, withinTotal, zoomed } from "./view.ts";

interface PlotAreaProps {
  readonly drawing: Drawing;
  readonly marked: number | undefined;
  readonly onView: (view: View) => void;
  readonly onMark: (frame: number | undefined) => void;
  readonly onPick: (frame: number) => void;
}

export function PlotArea(props: PlotAreaProps) {
  const { drawing, marked, onView, onMark, onPick } = props;
  const host = useRef<HTMLDivElement>(null);
  const plot = usePlot(host, props);
  const help = useId();

  useLayoutEffect(() => plot.current?.draw(drawing), [plot, drawing]);
  useLayoutEffect(() => plot.current?.mark(marked), [plot, marked]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { view, table } = drawing;
    const action = actionOf(event.key, { view, total: table.total, step: table.step, marked });
    if (action === undefined) return;
    event.preventDefault();
    if ("view" in action) onView(action.view);
    else if ("pick" in action) onPick(action.pick);
    else {
      onMark(action.mark);
      if (action.mark < view.from) onView(panned(view, action.mark - view.from, table.total));
      if (action.mark > view.to) onView(panned(view, action.mark - view.to, table.total));
    }
  };
  return (
    <>
      <div
        ref={host}
        className="plot"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom, pan and mark, as in an application
        tabIndex={0}
        role="application"
        aria-label="Per-frame scores"
        aria-describedby={help}
        onKeyDown={onKeyDown}
      />
      <p id={help} className="quiet chart-help">
        <kbd>Ctrl</kbd> (<kbd>⌘</kbd>) + wheel or <kbd>+</kbd> <kbd>-</kbd> to zoom; drag to zoom to a range;{" "}
        <kbd>Shift</kbd> + drag or <kbd>←</kbd> <kbd>→</kbd> to pan; <kbd>0</kbd> for all frames; <kbd>,</kbd>{" "}
        <kbd>.</kbd> to step; click or <kbd>Enter</kbd> to select a frame.
      </p>
    </>
  );
}

/** Creates one plot for the lifetime of the component. Its gestures always use the newest props. */
function usePlot(host: React.RefObject<HTMLDivElement | null>, props: PlotAreaProps) {
  const plot = useRef<Plot>(undefined);
  const now = useRef(props);
  /** The current view, which is newer than the props if several gestures occur between two renderings. */
  const view = useRef(props.drawing.view);
  useLayoutEffect(() => {
    now.current = props;
    view.current = props.drawing.view;
  });
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const created = new Plot(host.current, now.current.drawing, gesturesOf(plot, now, view));
    plot.current = created;
    return () => {
      plot.current = undefined;
      created.destroy();
    };
  }, [host]);
  useEffect(() => {
    const sizes = new ResizeObserver(([entry]) => {
      if (entry !== undefined) plot.current?.resize(entry.contentRect.width, entry.contentRect.height);
    });
    if (host.current !== null) sizes.observe(host.current);
    return () => sizes.disconnect();
  }, [host]);
  return plot;
}

function gesturesOf(
  plot: React.RefObject<Plot | undefined>,
  now: React.RefObject<PlotAreaProps>,
  view: React.RefObject<View>,
): Gestures {
  const total = () => now.current.drawing.table.total;
  const show = (next: View): void => {
    if (next.from === view.current.from && next.to === view.current.to) return;
    view.current = next;
    now.current.onView(next);
  };
  const frameAt = (left: number): number => {
    const { from, to } = view.current;
    return from + (left / Math.max(1, plot.current?.width ?? 1)) * (to - from);
  };
  const scored = (left: number): number => {
    const { table } = now.current.drawing;
    return table.rowAt(frameAt(left)) * table.step;
  };
  return {
    zoom: (factor, left) => show(zoomed(view.current, factor, frameAt(left), total())),
    pan: (pixels) => {
      show(panned(view.current, frameAt(pixels) - view.current.from, total()));
    },
    selecting: (range) => plot.current?.select(range),
    select: ([one, other]) => {
      const [from, to] = [frameAt(Math.min(one, other)), frameAt(Math.max(one, other))];
      show(withinTotal({ from, to }, total()));
    },
    hover: (left) => now.current.onMark(left === undefined ? undefined : scored(left)),
    pick: (left) => now.current.onPick(scored(left)),
  };
}
