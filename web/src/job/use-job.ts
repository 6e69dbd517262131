/** A live job: its details are fetched again when the stream reports a change. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { bodyOf, type Job } from "../api/client.ts";
import { awaitsResult, newest } from "../api/job-details.ts";
import { type Connection, useJobStream, useLiveJobs } from "../api/job-stream.ts";
import { ApiError } from "../api/problem.ts";
import { useSession } from "../session/session.ts";

/** Minimum interval between fetches of the details; the stream reports every change of the frame count. */
const PAUSE_MS = 250;
const PAUSE_AFTER_FAULT_MS = 3_000;

export interface LiveJob {
  /** The newest known state, with its tasks; undefined until known. */
  readonly job: Job | undefined;
  /** Why the job is not known. */
  readonly error: Error | null;
  /** Fetches and reconnects now instead of after the pause. */
  readonly retry: () => void;
  readonly connection: Connection;
  /** Whether the job existed and has been deleted. */
  readonly isDeleted: boolean;
}

export function useJob(id: string): LiveJob {
  const { api } = useSession();
  const ids = useMemo(() => [id], [id]);
  const stream = useJobStream(ids);
  const { jobs, isWhole, connection } = useLiveJobs(stream);
  const streamed = jobs.find((job) => job.id === id);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["job", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/jobs/{id}", { params: { path: { id } }, signal })),
    refetchOnWindowFocus: false,
  });
  const isGone = error instanceof ApiError && error.status === 404;
  const isBehind =
    streamed !== undefined && data !== undefined && streamed.revision > data.revision && !isGone;
  const pauseMs = isBehind && awaitsResult(data, streamed) ? 0 : PAUSE_MS;
  useEffect(() => {
    if (!isBehind || isFetching) return undefined;
    const timer = setTimeout(() => void refetch(), error === null ? pauseMs : PAUSE_AFTER_FAULT_MS);
    return () => clearTimeout(timer);
  }, [isBehind, isFetching, error, refetch, pauseMs]);
  const job = useMemo(() => newest(data, streamed), [data, streamed]);
  const isDeleted = data !== undefined && (isGone || (isWhole && streamed === undefined));
  const retry = () => {
    stream.retry();
    void refetch();
  };
  return { job, error, retry, connection, isDeleted };
}
