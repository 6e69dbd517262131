/** What may be wider than its place: it scrolls sideways by itself, with keys too, and the page does not. */
import { type ReactNode, useEffect, useRef, useState } from "react";

/** `label`: what is in it. */
export function Scrolls({ label, children }: { readonly label: string; readonly children: ReactNode }) {
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
  // Only what scrolls is worth a stop of the Tab key.
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
