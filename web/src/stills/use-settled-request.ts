/** Requests what is shown of a frame, once it has been shown for a moment: browsing requests nothing. */
import { useEffect } from "react";

const SETTLE_MS = 500;

/** `frame`: without its pictures or its video; undefined: nothing is missing. */
export function useSettledRequest(frame: number | undefined, request: (frame: number) => void): void {
  useEffect(() => {
    if (frame === undefined) return undefined;
    const timer = setTimeout(() => request(frame), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [frame, request]);
}
