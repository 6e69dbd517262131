/** The viewer of one frame of two videos: both sides of a job, or two encodes. */
import { type KeyboardEvent, useCallback, useState } from "react";
import { Failed } from "../ui/states.tsx";
import { useDevicePixels } from "./device-pixels.ts";
import type { Side } from "./fetch-still.ts";
import { HeatMap } from "./heat/heat-map.tsx";
import { GainChoice, ModeChoice, Zoom } from "./tools.tsx";
import type { Look } from "./use-look.ts";
import { useStillImage } from "./use-still-image.ts";
import { fitOf, type Size, type View, within } from "./viewport.ts";
import { Beside, Difference, Flip, Wipe } from "./views.tsx";

/** Largest height of an image as a share of the window's. */
const HIGHEST = 0.7;
/** Pixels between two panes; on a narrow screen they are stacked. */
const GAP = 8;
const NARROW = 560;

/** The source of an image: job, side and name. */
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
  /** Whether there is a video of the two sides, for which the caller has a view. Default: false. */
  readonly hasVideo?: boolean;
  /** The requested part; undefined: the whole image. */
  readonly asked: View | undefined;
  readonly onView: (view: View | undefined) => void;
}

export function Viewer({
  sources: [first, second],
  frame,
  size,
  look,
  hasVideo = false,
  asked,
  onView,
}: ViewerProps) {
  const one = useStillImage(first.jobId, frame, first.side);
  const other = useStillImage(second.jobId, frame, second.side);
  const { gain, onMode, onGain } = look;
  const mode = look.mode === "video" ? "beside" : look.mode;
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
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be as wide as its widest image
    <div className="still-viewer" ref={watchWidth} role="group" aria-label="Both stills" onKeyDown={press}>
      <div className="still-tools">
        <ModeChoice {...{ mode, onMode, hasVideo }} />
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
          {mode === "heat" && <HeatMap {...shown} />}
        </>
      )}
      <p className="quiet still-help">
        <kbd>Ctrl</kbd> + wheel, pinch or <kbd>+</kbd> <kbd>-</kbd> to zoom; drag or arrow keys to pan;{" "}
        <kbd>F</kbd> to flip.{" "}
        {mode === "heat" && (
          <>
            Point at a block to read its value; click it, or move with <kbd>Shift</kbd> + arrow keys, to
            select it.{" "}
          </>
        )}
        At 1×, a sample is one screen pixel. Stills are lossy (WebP, 4:2:0); scores are computed from the
        samples themselves.
      </p>
    </div>
  );
}

function paneOf(size: Size, width: number): Size {
  const height = Math.min((width * size.height) / size.width, innerHeight * HIGHEST);
  return { width: Math.max(1, width), height: Math.max(1, Math.round(height)) };
}

/** Observes the width of the element. */
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
