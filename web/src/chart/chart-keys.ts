/** Keyboard control of a chart. */
import { panned, type View, wholeView, zoomed } from "./view.ts";

export interface KeyState {
  readonly view: View;
  readonly total: number;
  /** Frames between two scores. */
  readonly step: number;
  /** The marked frame; undefined if none. */
  readonly marked: number | undefined;
}

export type KeyAction =
  | { readonly view: View }
  /** Marks a frame and brings it into view. */
  | { readonly mark: number }
  | { readonly pick: number };

/** undefined if the key is not one of the chart's. */
export function actionOf(key: string, { view, total, step, marked }: KeyState): KeyAction | undefined {
  const middle = (view.from + view.to) / 2;
  const span = view.to - view.from;
  const isSeen = marked !== undefined && marked >= view.from && marked <= view.to;
  const at = isSeen ? marked : Math.round(middle / step) * step;
  const last = Math.floor((total - 1) / step) * step;
  switch (key) {
    case "+":
    case "=":
      return { view: zoomed(view, 0.5, at, total) };
    case "-":
      return { view: zoomed(view, 2, at, total) };
    case "0":
      return { view: wholeView(total) };
    case "ArrowLeft":
      return { view: panned(view, -span / 5, total) };
    case "ArrowRight":
      return { view: panned(view, span / 5, total) };
    case "Home":
      return { view: panned(view, -total, total) };
    case "End":
      return { view: panned(view, total, total) };
    case ",":
      return { mark: isSeen ? Math.max(0, at - step) : at };
    case ".":
      return { mark: isSeen ? Math.min(last, at + step) : at };
    case "Enter":
      return isSeen ? { pick: at } : undefined;
    default:
      return undefined;
  }
}
