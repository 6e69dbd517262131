/** The title of the browser's tab. */
import { useEffect } from "react";

/** Sets the title; undefined: not known yet. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? "svc" : `${title} · svc`;
    return () => {
      document.title = "svc";
    };
  }, [title]);
}
