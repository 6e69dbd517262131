/** The range of frames that a chart shows. */

/** Both ends inclusive. Fractional while zooming. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Frames between the ends at maximum zoom. */
const CLOSEST = 4;

export function wholeView(total: number): View {
  return { from: 0, to: Math.max(1, total - 1) };
}

/** Limits a view to the frames of the video and to maximum zoom. */
export function withinTotal({ from, to }: View, total: number): View {
  const whole = wholeView(total);
  const span = Math.min(whole.to, Math.max(CLOSEST, to - from));
  const middle = (from + to) / 2;
  const start = Math.max(0, Math.min(whole.to - span, to - from < CLOSEST ? middle - span / 2 : from));
  return { from: start, to: start + span };
}

/** Zooms; `factor` < 1 zooms in. The frame `anchor` stays in place. */
export function zoomed({ from, to }: View, factor: number, anchor: number, total: number): View {
  const span = Math.min(total - 1, Math.max(CLOSEST, (to - from) * factor));
  const share = to > from ? (anchor - from) / (to - from) : 0.5;
  const start = anchor - share * span;
  return withinTotal({ from: start, to: start + span }, total);
}

/** Moves by a number of frames. */
export function panned({ from, to }: View, frames: number, total: number): View {
  return withinTotal({ from: from + frames, to: to + frames }, total);
}

export function isWhole({ from, to }: View, total: number): boolean {
  return from <= 0.5 && to >= total - 1.5;
}

/** Returns the URL parameters of a view, in whole frames; none if all frames are shown. */
export function viewParams(view: View, total: number): { readonly from?: string; readonly to?: string } {
  if (isWhole(view, total)) return {};
  return { from: String(Math.round(view.from)), to: String(Math.round(view.to)) };
}

/** The view in the URL; all frames if it is invalid. */
export function viewOf(from: string | null, to: string | null, total: number): View {
  const whole = wholeView(total);
  const [first, last] = [frameOf(from) ?? whole.from, frameOf(to) ?? whole.to];
  return last > first || (from !== null && to !== null && last === first)
    ? withinTotal({ from: first, to: last }, total)
    : whole;
}

function frameOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
