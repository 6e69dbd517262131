/** Fetches the image of a still. */
import { type Credentials, fetchRaw } from "../api/client.ts";

export type Side = "reference" | "distorted";

export async function fetchStill(
  credentials: Credentials,
  jobId: string,
  frame: number,
  side: Side,
  signal?: AbortSignal,
): Promise<Blob> {
  const path = `/v1/jobs/${encodeURIComponent(jobId)}/stills/${frame}/${side}`;
  return (await fetchRaw(credentials, path, signal && { signal })).blob();
}
