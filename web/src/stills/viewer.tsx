/** One frame of two videos, looked at closely: of both sides of a job, or of two encodes. */
import { type KeyboardEvent, useCallback, useState } from "react";
import { Failed } from "../ui/states.tsx";
import { useDevicePixels } from "./device-pixels.ts";
import { GainChoice, ModeChoice, Zoom } from "./tools.tsx";
import type { Look } from "./use-look.ts";
import { type Side, useStillImage } from "./use-still-image.ts";
import { fitOf, type Size, type View, within } from "./viewport.ts";
import { Beside, Difference, Flip, Wipe } from "./views.tsx";

/** Share of the window's height that a picture takes at most. */
const HIGHEST = 0.7;
/** Pixels between two panes; on a narrow screen they are one above the other. */
const GAP = 8;
const NARROW = 560;

/** Of which job and side a picture is, and what it is called. */
export interface Source {
  readonly jobId: string;
  readonly side: Side;
  readonly name: string;
}

interface ViewerProps {
  readonly sources: readonly [Source, Source];
  readonly frame: number;
  readonly size: Size;
  readonly look: Look;
  /** The part that was asked for; undefined: all of the picture. */
  readonly asked: View | undefined;
  readonly onView: (view: View | undefined) => void;
}

export function Viewer({ sources: [first, second], frame, size, look, asked, onView }: ViewerProps) {
  const one = useStillImage(first.jobId, frame, first.side);
  const other = useStillImage(second.jobId, frame, second.side);
  const { mode, gain, onMode, onGain } = look;
  const [isOther, setIsOther] = useState(false);
  const [watchWidth, width] = useWidth();
  const ratio = useDevicePixels();
  const isHalf = mode === "beside" && width > NARROW;
  const pane = paneOf(size, isHalf ? (width - GAP) / 2 : width);
  const view = asked === undefined ? fitOf(size, pane) : within(asked, size, pane, 1 / ratio);
  const failed = [one, other].filter(({ error }) => error !== null);
  const error = failed[0]?.error;
  const shown = {
    ...{ frame, picture: size, pane, view, onView },
    one: { name: first.name, url: one.url },
    other: { name: second.name, url: other.url },
  };
  const flip = () => setIsOther((before) => !before);
  const press = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent) => {
    if (key.toLowerCase() !== "f" || ctrlKey || altKey || metaKey) return;
    if (mode === "flip") flip();
    else onMode("flip");
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be as wide as its widest picture
    <div className="still-viewer" ref={watchWidth} role="group" aria-label="Both pictures" onKeyDown={press}>
      <div className="still-tools">
        <ModeChoice mode={mode} onMode={onMode} />
        {mode === "difference" && <GainChoice gain={gain} onGain={onGain} />}
        <Zoom view={view} ratio={ratio} onView={onView} />
      </div>
      {error ? (
        <Failed error={error} retry={() => failed.map(({ retry }) => retry())} />
      ) : (
        <>
          {mode === "beside" && <Beside {...shown} />}
          {mode === "wipe" && <Wipe {...shown} />}
          {mode === "flip" && <Flip {...shown} isOther={isOther} onFlip={flip} />}
          {mode === "difference" && <Difference {...shown} gain={gain} />}
        </>
      )}
      <p className="quiet still-help">
        <kbd>Ctrl</kbd> and wheel, two fingers, or <kbd>+</kbd> <kbd>-</kbd> zoom, drag or arrows move,{" "}
        <kbd>F</kbd> flips between the two. At 1× a sample is a pixel of the screen. The pictures are lossy
        (WebP, 4:2:0): scores are of the samples themselves.
      </p>
    </div>
  );
}

function paneOf(size: Size, width: number): Size {
  const height = Math.min((width * size.height) / size.width, innerHeight * HIGHEST);
  return { width: Math.max(1, width), height: Math.max(1, Math.round(height)) };
}

/** The width of the element that it is given, followed. */
function useWidth(): readonly [(element: HTMLElement | null) => (() => void) | undefined, number] {
  const [width, setWidth] = useState(0);
  const watch = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [watch, width];
}
