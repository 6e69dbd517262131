/**
 * Requests the stills or the clip of a frame once the frame has been shown for a moment, so that browsing requests
 * nothing.
 */
import { useEffect } from "react";

const SETTLE_MS = 500;

/** `frame`: the shown frame, if its stills or clip are missing; undefined: nothing is missing. */
export function useSettledRequest(frame: number | undefined, request: (frame: number) => void): void {
  useEffect(() => {
    if (frame === undefined) return undefined;
    const timer = setTimeout(() => request(frame), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [frame, request]);
}
