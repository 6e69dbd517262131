/** One pane: a part of one or more images of the same size, panned and zoomed by pointer and keys. */
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { useDevicePixels } from "./device-pixels.ts";
import { usePointers, useWheel, ZOOM_STEP } from "./pane-gestures.ts";
import { isAll, panBy, type Size, transformOf, type View, within, zoomAt } from "./viewport.ts";

/** Distance of one key press, in CSS pixels. */
const KEY_PAN = 60;

interface PaneProps {
  /** Describes the content to screen readers. */
  readonly label: string;
  readonly picture: Size;
  readonly pane: Size;
  readonly view: View;
  /** Called with undefined for the whole image, regardless of the size of the pane. */
  readonly onView: (view: View | undefined) => void;
  readonly children: ReactNode;
}

export function Pane({ label, picture, pane, view, onView, children }: PaneProps) {
  const element = useRef<HTMLElement>(null);
  const ratio = useDevicePixels();
  const isZoomed = !isAll(view, picture, pane);
  const show = (wanted: View): boolean => {
    // An image that is wholly visible cannot be panned.
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: needs the focus to be panned by keys
      tabIndex={0}
      aria-label={`${label}. Arrow keys pan, plus and minus zoom, 0 fits, F flips.`}
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
