/** Plays a clip side by side or as a wipe, frame by frame if wanted. */
import { type CSSProperties, type KeyboardEvent, type ReactNode, useState } from "react";
import { useSearchParams } from "react-router";
import { TimeCode } from "../chart/time-code.tsx";
import { WipeLine } from "../stills/views.tsx";
import { useSetParam } from "../ui/url-param.tsx";
import type { Clip } from "./use-clips.ts";
import { type Half, type Player as Playing, usePlayer } from "./use-player.ts";

const SPEEDS = [1, 0.5, 0.1] as const;

interface PlayerProps {
  readonly clip: Clip;
  readonly url: string;
  /** Frames per second, for time codes; undefined if unknown. */
  readonly rate: number | undefined;
  /** Name of the saved file. */
  readonly name: string;
}

export function Player({ clip, url, rate, name }: PlayerProps) {
  const { firstFrame, frameCount, frame } = clip;
  const moment = frame - firstFrame;
  const player = usePlayer(clip, moment);
  const { index = moment, isPlaying, isBroken, video, toggle, step, go } = player;
  const [isLooping, setIsLooping] = useState(true);
  const [params] = useSearchParams();
  const setParam = useSetParam();
  const isWipe = params.get("clip") === "wipe";
  const press = (event: KeyboardEvent) => {
    const action = actionOf(event, { player, moment, last: frameCount - 1 });
    if (action === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  };
  const setSpeed = (speed: number) => {
    if (video.current !== null) video.current.playbackRate = speed;
  };
  if (isBroken)
    return (
      <p role="alert">
        This browser cannot play the video.{" "}
        <a href={url} download={name}>
          Save it
        </a>{" "}
        to play it elsewhere.
      </p>
    );
  return (
    <>
      <video ref={video} className="clip-source" src={url} loop={isLooping} muted playsInline tabIndex={-1} />
      <section
        className="clip-screen"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: needs the focus to be controlled by keys
        tabIndex={0}
        aria-label={`Video of frames ${firstFrame} to ${firstFrame + frameCount - 1}, reference and distorted. Space plays and pauses, left and right arrow keys step, M goes to frame ${frame}.`}
        onKeyDown={press}
      >
        {isWipe ? <Wipe clip={clip} player={player} /> : <Beside clip={clip} player={player} />}
      </section>
      <input
        type="range"
        className="clip-position"
        min={firstFrame}
        max={firstFrame + frameCount - 1}
        value={firstFrame + index}
        aria-label="Frame of the video"
        onChange={({ target }) => go(Number(target.value) - firstFrame)}
      />
      <div className="still-tools clip-tools">
        <fieldset className="choice" aria-label="Playback">
          <button type="button" aria-label="Previous frame" onClick={() => step(-1)}>
            ‹
          </button>
          <button type="button" className="clip-play" onClick={toggle}>
            {isPlaying ? "Pause" : "Play"}
          </button>
          <button type="button" aria-label="Next frame" onClick={() => step(1)}>
            ›
          </button>
          <button type="button" aria-pressed={index === moment} onClick={() => go(moment)}>
            Moment
          </button>
          <button type="button" aria-pressed={isLooping} onClick={() => setIsLooping(!isLooping)}>
            Loop
          </button>
        </fieldset>
        <fieldset className="choice" aria-label="Layout of the video">
          <button type="button" aria-pressed={!isWipe} onClick={() => setParam("clip", undefined)}>
            Side by side
          </button>
          <button type="button" aria-pressed={isWipe} onClick={() => setParam("clip", "wipe")}>
            Wipe
          </button>
        </fieldset>
        <label>
          Speed{" "}
          <select defaultValue={1} onChange={({ target }) => setSpeed(Number(target.value))}>
            {SPEEDS.map((speed) => (
              <option key={speed} value={speed}>
                {speed}×
              </option>
            ))}
          </select>
        </label>
        <span className="clip-frame">
          Frame {firstFrame + index}{" "}
          {rate !== undefined && <TimeCode frame={firstFrame + index} rate={rate} />}
        </span>
        <a href={url} download={name}>
          Save video
        </a>
      </div>
      <p className="quiet still-help">
        <kbd>Space</kbd> plays and pauses, <kbd>←</kbd> <kbd>→</kbd> step, <kbd>M</kbd> goes to the moment.
        Both sides are halves of one video, which is lossy (H.264, 4:2:0); scores are computed from the
        samples themselves.
      </p>
    </>
  );
}

interface Keyed {
  readonly player: Playing;
  readonly moment: number;
  /** Index of the last frame. */
  readonly last: number;
}

function actionOf({ key }: KeyboardEvent, { player, moment, last }: Keyed): (() => void) | undefined {
  const { toggle, step, go } = player;
  switch (key) {
    case " ":
      return toggle;
    case "ArrowLeft":
      return () => step(-1);
    case "ArrowRight":
      return () => step(1);
    case "Home":
      return () => go(0);
    case "End":
      return () => go(last);
    case "m":
    case "M":
      return () => go(moment);
    default:
      return undefined;
  }
}

interface LayoutProps {
  readonly clip: Clip;
  readonly player: Playing;
}

function Beside({ clip, player }: LayoutProps) {
  return (
    <div className="panes beside">
      {(["reference", "distorted"] as const).map((half) => (
        <figure key={half}>
          <Stage clip={clip}>
            <Screen {...{ clip, player, half }} />
          </Stage>
          <figcaption>{half === "reference" ? "Reference" : "Distorted"}</figcaption>
        </figure>
      ))}
    </div>
  );
}

/** The distorted side covers the reference to the right of a movable edge. */
function Wipe({ clip, player }: LayoutProps) {
  const [percent, setPercent] = useState(50);
  return (
    <figure className="clip-wipe">
      <Stage clip={clip}>
        <Screen {...{ clip, player }} half="reference" />
        <div className="wiped" style={{ clipPath: `inset(0 0 0 ${percent}%)` }}>
          <Screen {...{ clip, player }} half="distorted" />
        </div>
        <WipeLine percent={percent} height="100%" onPercent={setPercent} />
      </Stage>
      <input
        type="range"
        min={0}
        max={100}
        step={0.5}
        value={percent}
        aria-label="Edge between reference and distorted"
        onChange={({ target }) => setPercent(Number(target.value))}
        // Its keys move the edge.
        onKeyDown={(event) => event.stopPropagation()}
      />
      <figcaption>Reference on the left, distorted on the right</figcaption>
    </figure>
  );
}

/** The area of the video, as large as the room allows. */
function Stage({ clip: { width, height }, children }: { readonly clip: Clip; readonly children: ReactNode }) {
  const style: CSSProperties & { readonly "--aspect": number } = { "--aspect": width / height };
  return (
    <div className="clip-stage" style={style}>
      {children}
    </div>
  );
}

function Screen({ clip: { width, height }, player, half }: LayoutProps & { readonly half: Half }) {
  return <canvas ref={player.screens[half]} width={width} height={height} />;
}
