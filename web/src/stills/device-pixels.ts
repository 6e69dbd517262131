/** Device pixels per CSS pixel: not 1 on high-density screens and on zoomed pages. */
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
