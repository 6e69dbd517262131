/** Wheel, mouse and touch input on a pane. Events it does not use are left to the page. */
import { type PointerEvent, useEffect, useRef } from "react";
import { type Point, panBy, pinched, type Size, type View, zoomAt } from "./viewport.ts";

/** The largest zoom factor of one wheel event, and that of one key press. */
export const ZOOM_STEP = 1.25;

interface Shown {
  readonly view: View;
  readonly pane: Size;
  /** Whether only part of the image is visible. */
  readonly isZoomed: boolean;
  /** Returns whether the view has changed. */
  readonly show: (view: View) => boolean;
}

/**
 * The wheel zooms with Ctrl or Meta (a pinch on a touchpad is such a wheel event), and without them if the pane is
 * zoomed or focused; otherwise the page scrolls. React's wheel listeners are passive and could not prevent scrolling,
 * hence addEventListener.
 */
export function useWheel(element: { readonly current: HTMLElement | null }, shown: Shown): void {
  const latest = useRef(shown);
  latest.current = shown;
  useEffect(() => {
    const pane = element.current;
    const turn = (event: WheelEvent) => {
      const { view, pane: size, isZoomed, show } = latest.current;
      const isMeant = event.ctrlKey || event.metaKey;
      if (!isMeant && !isZoomed && document.activeElement !== pane) return;
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const factor = Math.exp((-event.deltaY * unit) / 100);
      const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
      const point = { x: event.clientX - left, y: event.clientY - top };
      const step = Math.min(ZOOM_STEP, Math.max(1 / ZOOM_STEP, factor));
      // With Ctrl, the browser would zoom the whole page.
      if (show(zoomAt(view, step, point, size)) || isMeant) event.preventDefault();
    };
    pane?.addEventListener("wheel", turn, { passive: false });
    return () => pane?.removeEventListener("wheel", turn);
  }, [element]);
}

/** One pointer pans, two zoom. */
export function usePointers({ view, pane, show }: Shown) {
  const down = useRef(new Map<number, Point>());
  const lift = ({ pointerId }: PointerEvent) => void down.current.delete(pointerId);
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, pointOf(event));
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const before = down.current.get(event.pointerId);
      if (before === undefined) return;
      const now = pointOf(event);
      const other = [...down.current].find(([id]) => id !== event.pointerId)?.[1];
      down.current.set(event.pointerId, now);
      if (other === undefined) show(panBy(view, now.x - before.x, now.y - before.y));
      else show(pinched(view, [before, other], [now, other], pane));
    },
    onPointerUp: lift,
    onPointerCancel: lift,
  };
}

/** A pointer that moves further than this, in CSS pixels, drags. */
const CLICK_SLACK = 4;

/** Calls back for a click: a press of one pointer that is lifted where it went down. */
export function useClicks(click: (at: Point) => void) {
  const pressed = useRef<{ readonly id: number; readonly at: Point }>(undefined);
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const isOne = event.isPrimary && event.button === 0;
      pressed.current = isOne ? { id: event.pointerId, at: pointOf(event) } : undefined;
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const { id, at } = pressed.current ?? {};
      if (id !== event.pointerId || at === undefined) return;
      const now = pointOf(event);
      if (Math.hypot(now.x - at.x, now.y - at.y) > CLICK_SLACK) pressed.current = undefined;
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      if (pressed.current?.id === event.pointerId) click(pointOf(event));
      pressed.current = undefined;
    },
  };
}

/** Returns the position of an event in its element. */
export function pointOf(event: PointerEvent<HTMLElement>): Point {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}
