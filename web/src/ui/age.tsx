/** How long ago something was, counted on by one clock for the whole page. */
import { useSyncExternalStore } from "react";
import { exactly, roughly } from "./moments.ts";

const TICK_MS = 1_000;
const MINUTE_MS = 60_000;
const listeners = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = Date.now();
    ticking = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(ticking);
  };
}

/** Milliseconds since 1970, to the second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Milliseconds since 1970, to the minute: what depends on it is drawn again as rarely. */
export function useMinute(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now / MINUTE_MS) * MINUTE_MS);
}

/** `time`: RFC 3339. Another clock may be ahead of this one: what is yet to come was just now. */
export function Age({ time }: { readonly time: string }) {
  const text = useAgeText(Date.parse(time));
  return (
    <time dateTime={time} title={exactly(time)}>
      {text}
    </time>
  );
}

/** Only what changes is drawn again: the text, not each second. */
function useAgeText(since: number): string {
  return useSyncExternalStore(subscribe, () => roughly((now - since) / 1000));
}
