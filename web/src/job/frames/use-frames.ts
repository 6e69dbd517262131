/** The per-frame scores of a job, loaded while it runs. */
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { Job } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";
import { FrameLoader, type Loading } from "./frame-loader.ts";

export function useFrames(job: Job): Loading {
  const { credentials } = useSession();
  const loader = useMemo(() => new FrameLoader(credentials, job.id), [credentials, job.id]);
  const loading = useSyncExternalStore(
    useCallback((look) => loader.watch(look), [loader]),
    () => loader.loading,
  );
  useEffect(() => loader.follow(job), [loader, job]);
  return loading;
}
