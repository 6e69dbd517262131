/** Scrolls wide content horizontally, also by keyboard, so that the page does not scroll. */
import { type ReactNode, useEffect, useRef, useState } from "react";

/** `label` names the content. */
export function ScrollArea({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  const [isWider, setIsWider] = useState(false);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const sizes = new ResizeObserver(() => setIsWider(current.scrollWidth > current.clientWidth));
    sizes.observe(current);
    for (const child of current.children) sizes.observe(child);
    return () => sizes.disconnect();
  }, []);
  // Only scrollable content is a tab stop.
  return (
    <section
      ref={place}
      className="scrolls"
      {...(isWider && { tabIndex: 0, role: "region", "aria-label": label })}
    >
      {children}
    </section>
  );
}
