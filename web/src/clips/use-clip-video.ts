/** The object URL of a clip's video. */
import { useQuery } from "@tanstack/react-query";
import { fetchRaw } from "../api/client.ts";
import { useObjectUrl } from "../api/object-url.ts";
import { useSession } from "../session/session.ts";

interface ClipVideo {
  /** undefined while it loads. */
  readonly url: string | undefined;
  readonly error: Error | null;
  /** Fetches again. */
  readonly retry: () => void;
}

export function useClipVideo(jobId: string, frame: number): ClipVideo {
  const { credentials } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ["clip", jobId, frame],
    queryFn: async ({ signal }) => {
      const path = `/v1/jobs/${encodeURIComponent(jobId)}/clips/${frame}`;
      return (await fetchRaw(credentials, path, { signal })).blob();
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Clips have some megabytes each, so they are dropped after a minute.
    gcTime: 60_000,
  });
  return { url: useObjectUrl(data), error, retry: () => void refetch() };
}
