/**
 * Plays a clip: one video element, each half of which is drawn on a separate canvas when it shows another
 * frame.
 */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { indexAt, timeOf, within } from "./frame-times.ts";
import type { Clip } from "./use-clips.ts";

export type Half = "reference" | "distorted";

export interface Player {
  readonly video: RefObject<HTMLVideoElement | null>;
  /** The refs of the canvases that show the halves. */
  readonly screens: Readonly<Record<Half, (canvas: HTMLCanvasElement | null) => () => void>>;
  /** Index of the shown frame; undefined until the first one is shown. */
  readonly index: number | undefined;
  readonly isPlaying: boolean;
  /** Whether the browser cannot play it. */
  readonly isBroken: boolean;
  readonly toggle: () => void;
  /** Pauses, and moves by a number of frames. */
  readonly step: (by: number) => void;
  /** Pauses, and goes to a frame. */
  readonly go: (index: number) => void;
}

/** `start`: index of the frame that is shown first. */
export function usePlayer({ frameCount, width, height }: Clip, start: number): Player {
  const video = useRef<HTMLVideoElement>(null);
  const canvases = useRef(new Map<Half, HTMLCanvasElement>());
  const wanted = useRef(start);
  const [index, setIndex] = useState<number>();
  const [isPlaying, setIsPlaying] = useState(false);
  const [isBroken, setIsBroken] = useState(false);

  const draw = useCallback(() => {
    const element = video.current;
    if (element === null || element.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
    for (const [half, canvas] of canvases.current) {
      const left = half === "reference" ? 0 : element.videoWidth / 2;
      canvas.getContext("2d")?.drawImage(element, left, 0, width, height, 0, 0, width, height);
    }
  }, [width, height]);

  useEffect(() => {
    const element = video.current;
    if (element === null) return undefined;
    const timing = () => ({ count: frameCount, duration: element.duration });
    let hasBegun = false;
    const show = (time: number) => {
      // Until the element has reached the first frame to show, it shows the first frame of the video.
      if (!hasBegun && element.seeking) return;
      hasBegun = true;
      draw();
      const shown = indexAt(time, timing());
      if (!element.seeking) wanted.current = shown;
      setIndex(shown);
    };
    const begin = () => {
      element.currentTime = timeOf(wanted.current, timing());
      // Browsers may forbid it; the video is then paused.
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches) element.play().catch(() => {});
    };
    const seeked = () => {
      if (!element.seeking) show(element.currentTime);
    };
    const changed = () => setIsPlaying(!element.paused);
    const failed = () => setIsBroken(true);
    const handlers = {
      loadedmetadata: begin,
      loadeddata: seeked,
      seeked,
      play: changed,
      pause: changed,
      error: failed,
    };
    for (const [name, handler] of Object.entries(handlers)) element.addEventListener(name, handler);
    if (element.readyState >= HTMLMediaElement.HAVE_METADATA) begin();
    const stop = onFrames(element, show);
    return () => {
      stop();
      for (const [name, handler] of Object.entries(handlers)) element.removeEventListener(name, handler);
    };
  }, [draw, frameCount]);

  const go = (to: number) => {
    const element = video.current;
    if (element === null || !(element.duration > 0)) return;
    element.pause();
    wanted.current = within(to, frameCount);
    element.currentTime = timeOf(wanted.current, { count: frameCount, duration: element.duration });
  };
  const screens = useMemo(() => {
    const screenOf = (half: Half) => (canvas: HTMLCanvasElement | null) => {
      if (canvas !== null) canvases.current.set(half, canvas);
      draw();
      return () => void canvases.current.delete(half);
    };
    return { reference: screenOf("reference"), distorted: screenOf("distorted") };
  }, [draw]);
  return {
    ...{ video, screens, index, isPlaying, isBroken, go },
    step: (by) => go(wanted.current + by),
    toggle: () => {
      const element = video.current;
      if (element?.paused) element.play().catch(() => {});
      else element?.pause();
    },
  };
}

/**
 * Calls `show` with the time of every frame that the video shows, or, in browsers that do not report frames, with the
 * time of every repaint while it plays. Returns a function that stops it.
 */
function onFrames(element: HTMLVideoElement, show: (time: number) => void): () => void {
  let handle = 0;
  if ("requestVideoFrameCallback" in element) {
    const next: VideoFrameRequestCallback = (_, { mediaTime }) => {
      show(mediaTime);
      handle = element.requestVideoFrameCallback(next);
    };
    handle = element.requestVideoFrameCallback(next);
    return () => element.cancelVideoFrameCallback(handle);
  }
  const repaint = () => {
    const { paused, currentTime } = element as HTMLVideoElement;
    if (!paused) show(currentTime);
    handle = requestAnimationFrame(repaint);
  };
  handle = requestAnimationFrame(repaint);
  return () => cancelAnimationFrame(handle);
}
