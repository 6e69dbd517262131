/** The selected jobs. Kept in the URL while they are few. */
import { useCallback, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { toggled } from "./job-query.ts";

/** URLs longer than a few thousand characters are rejected by servers and proxies. */
const MAX_IN_ADDRESS = 50;
const PARAMETER = "selected";

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** Replaces the selection. */
  readonly set: (ids: readonly string[]) => void;
}

export function useSelection(): Selection {
  const [params, setParams] = useSearchParams();
  const [ids, set] = useState<readonly string[]>(() => params.getAll(PARAMETER));
  const kept = ids.length <= MAX_IN_ADDRESS ? ids : [];
  const isKept = params.getAll(PARAMETER).join() === kept.join();
  useEffect(() => {
    if (isKept) return;
    const write = (params: URLSearchParams) => {
      params.delete(PARAMETER);
      for (const id of kept) params.append(PARAMETER, id);
      return params;
    };
    setParams(write, { replace: true });
  }, [isKept, kept, setParams]);
  const toggle = useCallback((id: string) => set((ids) => toggled(ids, id)), []);
  return useMemo(() => ({ ids: new Set(ids), toggle, set }), [ids, toggle]);
}
