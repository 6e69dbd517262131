/** The clips of a job as they become ready, and requests for more. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { components } from "../../../src/gen/rest/controller.ts";
import { bodyOf, type Job } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { useSettledRequest } from "../stills/use-settled-request.ts";

export type Clip = components["schemas"]["Clip"];

export interface Clips {
  /** undefined until known. */
  readonly clips: readonly Clip[] | undefined;
  readonly error: Error | null;
  readonly request: (frame: number) => void;
  /** Deletes the clip of a frame, if it has one, for everyone. */
  readonly remove: (frame: number) => void;
  /** The last request, if it was refused. */
  readonly refused: { readonly frame: number; readonly error: Error } | undefined;
}

export function useClips({ id, revision }: Job): Clips {
  const { api } = useSession();
  const queries = useQueryClient();
  const params = useMemo(() => ({ path: { id } }), [id]);
  const list = useQuery({
    queryKey: ["clips", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/jobs/{id}/clips", { params, signal })),
  });
  const ask = useMutation({
    mutationFn: (frame: number) =>
      bodyOf(api.POST("/v1/jobs/{id}/clips", { params, body: { frames: [frame] } })),
    onSuccess: (clips) => queries.setQueryData(["clips", id], clips),
  });
  const removal = useMutation({
    mutationFn: (frame: number) =>
      bodyOf(api.DELETE("/v1/jobs/{id}/clips/{frame}", { params: { path: { id, frame: String(frame) } } })),
    onSuccess: (clips, frame) => {
      queries.setQueryData(["clips", id], clips);
      queries.removeQueries({ queryKey: ["clip", id, frame] });
    },
  });
  // The job's stream reports new clips by a new revision.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs on every new revision
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ["clips", id] });
  }, [queries, id, revision]);
  const clips = list.data?.clips;
  const { mutate } = removal;
  return {
    ...{ clips, error: list.error, request: ask.mutate },
    remove: (frame) => {
      if (clips?.some((clip) => clip.frame === frame)) mutate(frame);
    },
    refused: ask.isError ? { frame: ask.variables, error: ask.error } : undefined,
  };
}

/** Requests the clip of a frame if it has none. */
export function useClipOf(frame: number, { clips, request }: Clips): Clip | undefined {
  const clip = clips?.find((one) => one.frame === frame);
  const isMissing = clips !== undefined && clip === undefined;
  useSettledRequest(isMissing ? frame : undefined, request);
  return clip;
}
