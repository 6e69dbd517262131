/** Parameters of the URL that say how a page is shown. */
import { useSearchParams } from "react-router";

/** Returns a function that sets a parameter, or removes it, without an entry in the history. */
export function useSetParam(): (name: string, value: string | undefined) => void {
  const [, setParams] = useSearchParams();
  return (name, value) =>
    setParams(
      (params) => {
        const changed = new URLSearchParams(params);
        if (value === undefined) changed.delete(name);
        else changed.set(name, value);
        return changed;
      },
      { replace: true },
    );
}
