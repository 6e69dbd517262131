/** The object URL of a still. It is fetched because an img element cannot send a token. */
import { useQuery } from "@tanstack/react-query";
import { useObjectUrl } from "../api/object-url.ts";
import { useSession } from "../session/session.ts";
import { fetchStill, type Side } from "./fetch-still.ts";

export interface StillImage {
  /** undefined while it loads. */
  readonly url: string | undefined;
  readonly error: Error | null;
  /** Fetches again. */
  readonly retry: () => void;
}

export function useStillImage(jobId: string, frame: number, side: Side): StillImage {
  const { credentials } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ["still", jobId, frame, side],
    queryFn: ({ signal }) => fetchStill(credentials, jobId, frame, side, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { url: useObjectUrl(data), error, retry: () => void refetch() };
}
