/** How many pixels of the screen a CSS pixel has: other than 1 on fine screens, and where the page is zoomed. */
import { useSyncExternalStore } from "react";

export function useDevicePixels(): number {
  return useSyncExternalStore(watch, () => devicePixelRatio);
}

function watch(look: () => void): () => void {
  let stop = () => {};
  const follow = () => {
    const same = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    const change = () => {
      stop();
      follow();
      look();
    };
    same.addEventListener("change", change);
    stop = () => same.removeEventListener("change", change);
  };
  follow();
  return () => stop();
}
