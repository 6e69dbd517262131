/** Relative times, updated by one clock for the whole page. */
import { useSyncExternalStore } from "react";
import { formatAge, formatInstant } from "./moments.ts";

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

/** Milliseconds since 1970, to the minute; dependents render once a minute. */
export function useMinute(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now / MINUTE_MS) * MINUTE_MS);
}

/** `time`: RFC 3339. If the other clock is ahead, a future time shows as 0 s. */
export function Age({ time }: { readonly time: string }) {
  const text = useAgeText(Date.parse(time));
  return (
    <time dateTime={time} title={formatInstant(time)}>
      {text}
    </time>
  );
}

/** Renders only when the text changes, not every second. */
function useAgeText(since: number): string {
  return useSyncExternalStore(subscribe, () => formatAge((now - since) / 1000));
}
