/** The stills of a job as they become ready, and requests for more. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { bodyOf, type Job } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { framesOf, type StillFrame } from "./still-list.ts";
import { useSettledRequest } from "./use-settled-request.ts";

interface Refused {
  readonly frame: number;
  readonly error: Error;
}

export interface Stills {
  /** undefined until known. */
  readonly frames: readonly StillFrame[] | undefined;
  readonly error: Error | null;
  readonly request: (frame: number) => void;
  /** Deletes the stills of a frame for everyone. */
  readonly remove: (frame: number) => void;
  /** Why the last removal failed; null if it did not. */
  readonly removeError: Error | null;
  /** The last request, if it was refused. */
  readonly refused: Refused | undefined;
}

export function useStills({ id, revision }: Job): Stills {
  const { api } = useSession();
  const queries = useQueryClient();
  const params = useMemo(() => ({ path: { id } }), [id]);
  const list = useQuery({
    queryKey: ["stills", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/jobs/{id}/stills", { params, signal })),
  });
  const ask = useMutation({
    mutationFn: (frame: number) =>
      bodyOf(api.POST("/v1/jobs/{id}/stills", { params, body: { frames: [frame] } })),
    onSuccess: (stills) => queries.setQueryData(["stills", id], stills),
  });
  const removal = useMutation({
    mutationFn: (frame: number) =>
      bodyOf(api.DELETE("/v1/jobs/{id}/stills/{frame}", { params: { path: { id, frame: String(frame) } } })),
    onSuccess: (stills) => queries.setQueryData(["stills", id], stills),
  });
  // The job's stream reports new stills by a new revision.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs on every new revision
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ["stills", id] });
  }, [queries, id, revision]);
  const frames = useMemo(
    () => (list.data === undefined ? undefined : framesOf(list.data.stills)),
    [list.data],
  );
  const refused = ask.isError ? { frame: ask.variables, error: ask.error } : undefined;
  return {
    ...{ frames, error: list.error, request: ask.mutate, refused },
    ...{ remove: removal.mutate, removeError: removal.error },
  };
}

/** Requests the stills of the selected frame if it has none. */
export function useRequestOf(frame: number | undefined, { frames, request }: Stills): void {
  const isMissing = frame !== undefined && frames?.every((known) => known.frame !== frame) === true;
  useSettledRequest(isMissing ? frame : undefined, request);
}
