/** The views of one frame of two videos. All panes show the same part at the same scale. */
import { type PointerEvent, type ReactNode, useState } from "react";
import { Pane } from "./pane.tsx";
import type { Gain } from "./tools.tsx";
import { pixelAt, type Size, type View } from "./viewport.ts";

interface NamedPicture {
  readonly name: string;
  /** undefined while it loads. */
  readonly url: string | undefined;
}

export interface ViewsProps {
  readonly frame: number;
  readonly one: NamedPicture;
  readonly other: NamedPicture;
  readonly picture: Size;
  readonly pane: Size;
  readonly view: View;
  readonly onView: (view: View | undefined) => void;
}

export function Beside({ frame, one, other, ...shown }: ViewsProps) {
  return (
    <div className="panes beside">
      <Captioned caption={<bdi>{one.name}</bdi>}>
        <Pane label={`${one.name}, frame ${frame}`} {...shown}>
          <Still url={one.url} />
        </Pane>
      </Captioned>
      <Captioned caption={<bdi>{other.name}</bdi>}>
        <Pane label={`${other.name}, frame ${frame}`} {...shown}>
          <Still url={other.url} />
        </Pane>
      </Captioned>
    </div>
  );
}

/** The second image covers the first to the right of a movable edge. */
export function Wipe({ frame, one, other, ...shown }: ViewsProps) {
  const { view, picture, pane } = shown;
  const [percent, setPercent] = useState(50);
  const edge = Math.min(picture.width, Math.max(0, pixelAt((percent / 100) * pane.width, view, pane)));
  return (
    <div className="panes">
      <Captioned
        caption={
          <>
            <bdi>{one.name}</bdi> on the left, <bdi>{other.name}</bdi> on the right
          </>
        }
      >
        <Pane label={`Both sides, frame ${frame}`} {...shown}>
          <Still url={one.url} />
          <div className="wiped" style={{ clipPath: `inset(0 0 0 ${edge}px)` }}>
            <Still url={other.url} />
          </div>
        </Pane>
        <WipeLine percent={percent} height={pane.height} onPercent={setPercent} />
        <input
          type="range"
          min={0}
          max={100}
          step={0.5}
          value={percent}
          aria-label={`Edge between ${one.name} and ${other.name}`}
          onChange={(event) => setPercent(Number(event.target.value))}
        />
      </Captioned>
    </div>
  );
}

/** The draggable edge; the slider below serves users without a pointer. */
export function WipeLine({ percent, height, onPercent }: WipeLineProps) {
  const drag = (event: PointerEvent<HTMLElement>) => {
    const whole = event.currentTarget.parentElement?.getBoundingClientRect();
    if (event.buttons !== 1 || whole === undefined) return;
    onPercent(Math.min(100, Math.max(0, ((event.clientX - whole.left) / whole.width) * 100)));
  };
  return (
    <div
      className="wipe-line"
      style={{ left: `${percent}%`, height }}
      aria-hidden="true"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}

interface WipeLineProps {
  /** Distance from the left edge in percent. */
  readonly percent: number;
  /** As in CSS. */
  readonly height: number | string;
  readonly onPercent: (percent: number) => void;
}

interface FlipProps extends ViewsProps {
  /** Whether the second image is visible instead of the first. */
  readonly isOther: boolean;
  readonly onFlip: () => void;
}

/** One image in place of the other. Both are rendered, so that flipping is instant. */
export function Flip({ frame, one, other, isOther, onFlip, ...shown }: FlipProps) {
  const { name } = isOther ? other : one;
  return (
    <div className="panes">
      <Captioned
        caption={
          <>
            <strong aria-live="polite">
              <bdi>{name}</bdi>
            </strong>{" "}
            <button type="button" onClick={onFlip}>
              Flip <kbd>F</kbd>
            </button>
          </>
        }
      >
        <Pane label={`${name}, frame ${frame}`} {...shown}>
          <Still url={one.url} />
          <div className="flipped" style={{ visibility: isOther ? "visible" : "hidden" }}>
            <Still url={other.url} />
          </div>
        </Pane>
      </Captioned>
    </div>
  );
}

export function Difference({ frame, one, other, gain, ...shown }: ViewsProps & { readonly gain: Gain }) {
  return (
    <div className="panes">
      <Captioned caption={`Difference ×${gain} (black = identical)`}>
        <Pane label={`Difference, frame ${frame}`} {...shown}>
          <div className="differing" style={{ filter: `brightness(${gain})` }}>
            <Still url={one.url} />
            <Still url={other.url} />
          </div>
        </Pane>
      </Captioned>
    </div>
  );
}

/** The surrounding pane labels it, so alt is empty. */
export function Still({ url }: { readonly url: string | undefined }) {
  return url === undefined ? null : <img src={url} alt="" draggable={false} />;
}

export function Captioned({
  caption,
  children,
}: {
  readonly caption: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <figure>
      {children}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
