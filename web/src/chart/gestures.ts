/** Translates wheel, mouse and touch input on a chart into gestures. */

export interface Gestures {
  /** A factor < 1 zooms in, around a position in CSS pixels from the left. */
  zoom(factor: number, left: number): void;
  /** Moves by CSS pixels towards later frames. */
  pan(pixels: number): void;
  /** Called while a range is being selected; undefined when the selection has ended. */
  selecting(range: readonly [number, number] | undefined): void;
  select(range: readonly [number, number]): void;
  /** Called with the position of the pointer; undefined when it has left. */
  hover(left: number | undefined): void;
  /** Called when a position was clicked. */
  pick(left: number): void;
}

/** A movement of at most this many CSS pixels is a click. */
const CLICK = 4;
const WHEEL_STEP = 0.0022;

type Drag = "select" | "pan";

export function onGestures(area: HTMLElement, gestures: Gestures): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const pointers = new Pointers(area, gestures);
  area.addEventListener("wheel", (event) => wheel(area, event, gestures), { signal, passive: false });
  area.addEventListener("pointerdown", (event) => pointers.down(event), { signal });
  area.addEventListener("pointermove", (event) => pointers.move(event), { signal });
  area.addEventListener("pointerup", (event) => pointers.up(event), { signal });
  area.addEventListener("pointercancel", (event) => pointers.cancel(event), { signal });
  area.addEventListener("pointerleave", () => gestures.hover(undefined), { signal });
  return () => listening.abort();
}

/**
 * Handles the wheel. With Ctrl or Meta it zooms (a pinch on a touchpad is such a wheel event). Horizontal
 * scrolling pans, and so does any scrolling with Shift. Otherwise the page scrolls.
 */
function wheel(area: HTMLElement, event: WheelEvent, gestures: Gestures): void {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    gestures.pan(sideways * unit);
    return;
  }
  if (!event.ctrlKey && !event.metaKey) return;
  // Otherwise the browser zooms the whole page.
  event.preventDefault();
  const factor = Math.exp(Math.max(-300, Math.min(300, event.deltaY * unit)) * WHEEL_STEP);
  gestures.zoom(factor, leftOf(area, event));
}

class Pointers {
  readonly #area: HTMLElement;
  readonly #gestures: Gestures;
  /** Last position of each pressed pointer. */
  readonly #down = new Map<number, number>();
  #start = 0;
  #drag: Drag = "select";
  #hasMoved = false;

  constructor(area: HTMLElement, gestures: Gestures) {
    this.#area = area;
    this.#gestures = gestures;
  }

  down(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    const left = leftOf(this.#area, event);
    this.#area.setPointerCapture(event.pointerId);
    this.#down.set(event.pointerId, left);
    this.#start = left;
    this.#hasMoved = this.#down.size > 1;
    const pans = event.shiftKey || event.button === 1 || event.pointerType === "touch";
    this.#drag = pans ? "pan" : "select";
  }

  move(event: PointerEvent): void {
    const left = leftOf(this.#area, event);
    const before = this.#down.get(event.pointerId);
    if (before === undefined) {
      this.#gestures.hover(left);
      return;
    }
    if (Math.abs(left - this.#start) > CLICK) this.#hasMoved = true;
    if (!this.#hasMoved) return;
    if (this.#down.size === 2) this.#pinch(event.pointerId, before, left);
    else if (this.#drag === "pan") this.#gestures.pan(before - left);
    else this.#gestures.selecting([this.#start, left]);
    this.#down.set(event.pointerId, left);
  }

  up(event: PointerEvent): void {
    if (!this.#down.delete(event.pointerId) || this.#down.size > 0) return;
    const left = leftOf(this.#area, event);
    if (!this.#hasMoved) this.#gestures.pick(left);
    else if (this.#drag === "select") this.#gestures.select([this.#start, left]);
    this.#gestures.selecting(undefined);
    this.#gestures.hover(left);
  }

  cancel(event: PointerEvent): void {
    this.#down.delete(event.pointerId);
    this.#gestures.selecting(undefined);
  }

  #pinch(id: number, before: number, left: number): void {
    const other = [...this.#down].find(([pointer]) => pointer !== id)?.[1] ?? before;
    const [old, now] = [Math.abs(before - other), Math.abs(left - other)];
    this.#gestures.pan((before - left) / 2);
    if (old > 8 && now > 8) this.#gestures.zoom(old / now, (left + other) / 2);
  }
}

function leftOf(area: HTMLElement, event: MouseEvent): number {
  const { left, width } = area.getBoundingClientRect();
  return Math.max(0, Math.min(width, event.clientX - left));
}
