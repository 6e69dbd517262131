/** One pane: a part of one or more pictures of the same size, moved and zoomed by pointer and keys. */
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { useDevicePixels } from "./device-pixels.ts";
import { usePointers, useWheel, ZOOM_STEP } from "./pane-gestures.ts";
import { isAll, panBy, type Size, transformOf, type View, within, zoomAt } from "./viewport.ts";

/** One press of a key, in CSS pixels. */
const KEY_PAN = 60;

interface PaneProps {
  /** What is seen, for those who do not. */
  readonly label: string;
  readonly picture: Size;
  readonly pane: Size;
  readonly view: View;
  /** undefined: all of the picture, however large the pane becomes. */
  readonly onView: (view: View | undefined) => void;
  readonly children: ReactNode;
}

export function Pane({ label, picture, pane, view, onView, children }: PaneProps) {
  const element = useRef<HTMLElement>(null);
  const ratio = useDevicePixels();
  const isZoomed = !isAll(view, picture, pane);
  const show = (wanted: View): boolean => {
    // What is seen whole is not moved.
    if (!isZoomed && wanted.scale === view.scale) return false;
    const next = within(wanted, picture, pane);
    onView(isAll(next, picture, pane) ? undefined : next);
    return next.scale !== view.scale || next.x !== view.x || next.y !== view.y;
  };
  const shown = { view, pane, isZoomed, show };
  useWheel(element, shown);
  const pointers = usePointers(shown);
  const press = (event: KeyboardEvent) => {
    const isShortcut = event.ctrlKey || event.altKey || event.metaKey;
    const next = isShortcut ? undefined : keyed(event.key, view, pane);
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  };
  return (
    <section
      ref={element}
      className={`pane${isZoomed ? " zoomed" : ""}${view.scale * ratio >= 2 ? " pixels" : ""}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what is focused is moved by keys
      tabIndex={0}
      aria-label={`${label}. Arrows move, plus and minus zoom, 0 shows all, F flips the two.`}
      {...pointers}
      onKeyDown={press}
      style={{ height: pane.height }}
    >
      <div
        className="picture"
        style={{ width: picture.width, height: picture.height, transform: transformOf(view, pane, ratio) }}
      >
        {children}
      </div>
    </section>
  );
}

function keyed(key: string, view: View, pane: Size): View | undefined {
  const middle = { x: pane.width / 2, y: pane.height / 2 };
  switch (key) {
    case "ArrowLeft":
      return panBy(view, KEY_PAN, 0);
    case "ArrowRight":
      return panBy(view, -KEY_PAN, 0);
    case "ArrowUp":
      return panBy(view, 0, KEY_PAN);
    case "ArrowDown":
      return panBy(view, 0, -KEY_PAN);
    case "+":
    case "=":
      return zoomAt(view, ZOOM_STEP, middle, pane);
    case "-":
      return zoomAt(view, 1 / ZOOM_STEP, middle, pane);
    case "0":
      return { ...view, scale: 0 };
    default:
      return undefined;
  }
}
