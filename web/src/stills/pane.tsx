/** One pane: a part of one or more images of the same size, panned and zoomed by pointer and keys. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import { useDevicePixels } from "./device-pixels.ts";
import { pointOf, useClicks, usePointers, useWheel, ZOOM_STEP } from "./pane-gestures.ts";
import {
  isAll,
  type Point,
  panBy,
  pointAt,
  type Size,
  transformOf,
  type View,
  within,
  zoomAt,
} from "./viewport.ts";

/** Distance of one key press, in CSS pixels. */
const KEY_PAN = 60;

const STEPS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["ArrowLeft", [-1, 0]],
  ["ArrowRight", [1, 0]],
  ["ArrowUp", [0, -1]],
  ["ArrowDown", [0, 1]],
]);

interface PaneStep {
  /** Completes "Shift and arrow keys …" for screen readers. */
  readonly does: string;
  readonly by: (by: readonly [right: number, down: number]) => void;
}

interface PaneProps {
  /** Describes the content to screen readers. */
  readonly label: string;
  readonly picture: Size;
  readonly pane: Size;
  readonly view: View;
  /** Called with undefined for the whole image, regardless of the size of the pane. */
  readonly onView: (view: View | undefined) => void;
  /** Called with the image pixel under the pointer, which can be outside of the image; undefined: none. */
  readonly onHover?: (point: Point | undefined) => void;
  /** Called with the image pixel that is clicked or tapped, not when a drag or a pinch ends. */
  readonly onPick?: (point: Point) => void;
  /** What arrow keys with Shift do, with columns and rows. */
  readonly step?: PaneStep;
  readonly children: ReactNode;
}

export function Pane(props: PaneProps) {
  const { label, picture, pane, view, onView, onHover, onPick, step, children } = props;
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
  const clicks = useClicks((at) => onPick?.(pointAt(at, view, pane)));
  const hover = (event: PointerEvent<HTMLElement>) => onHover?.(pointAt(pointOf(event), view, pane));
  const press = (event: KeyboardEvent) => {
    // These belong to the browser.
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const by = event.shiftKey ? STEPS.get(event.key) : undefined;
    if (step !== undefined && by !== undefined) {
      event.preventDefault();
      return step.by(by);
    }
    const next = keyed(event.key, view, pane);
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
      aria-label={`${label}. Arrow keys pan, ${step === undefined ? "" : `Shift and arrow keys ${step.does}, `}plus and minus zoom, 0 fits, F flips.`}
      {...pointers}
      onPointerDown={(event) => {
        pointers.onPointerDown(event);
        clicks.onPointerDown(event);
      }}
      onPointerMove={(event) => {
        pointers.onPointerMove(event);
        clicks.onPointerMove(event);
        hover(event);
      }}
      onPointerUp={(event) => {
        pointers.onPointerUp(event);
        clicks.onPointerUp(event);
      }}
      onPointerLeave={() => onHover?.(undefined)}
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
