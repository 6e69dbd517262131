/** The visible range, with zoom buttons. */
import type { ReactNode } from "react";
import { isWhole, type View, wholeView, zoomed } from "./view.ts";

interface ZoomBarProps {
  readonly total: number;
  readonly view: View;
  readonly onView: (view: View) => void;
  /** Additional controls. */
  readonly children?: ReactNode;
}

export function ZoomBar({ total, view, onView, children }: ZoomBarProps) {
  const middle = (view.from + view.to) / 2;
  const format = (frame: number) => Math.round(frame).toLocaleString("en-US");
  return (
    <div className="chart-bar">
      <span className="range">
        Frames {format(view.from)}–{format(view.to)}{" "}
        <span className="quiet">of {total.toLocaleString("en-US")}</span>
      </span>
      <button type="button" aria-label="Zoom in" onClick={() => onView(zoomed(view, 0.5, middle, total))}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => onView(zoomed(view, 2, middle, total))}>
        −
      </button>
      <button type="button" disabled={isWhole(view, total)} onClick={() => onView(wholeView(total))}>
        All
      </button>
      {children}
    </div>
  );
}
