/** The width of a chart. */
import { useLayoutEffect, useState } from "react";

/** The width of an element in CSS pixels. */
export function useWidth(host: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const sizes = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 600)));
    sizes.observe(host.current);
    return () => sizes.disconnect();
  }, [host]);
  return width;
}
