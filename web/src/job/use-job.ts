/** One job as it is now: its details are read again when the stream tells that it has changed. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { bodyOf, type Job } from "../api/client.ts";
import { awaitsResult, newest } from "../api/job-details.ts";
import { type Connection, useJobStream, useLiveJobs } from "../api/job-stream.ts";
import { ApiError } from "../api/problem.ts";
import { useSession } from "../session/session.ts";

/** Details are read no more often than this; the stream tells of every frame count. */
const PAUSE_MS = 250;
const PAUSE_AFTER_FAULT_MS = 3_000;

export interface LiveJob {
  /** Newest that is known, with its pieces of work; undefined: not known yet. */
  readonly job: Job | undefined;
  /** Why it is not known. */
  readonly error: Error | null;
  /** Asks and follows now, not only after a pause. */
  readonly retry: () => void;
  readonly connection: Connection;
  /** It was there, and is no more. */
  readonly isDeleted: boolean;
}

export function useJob(id: string): LiveJob {
  const { api } = useSession();
  const ids = useMemo(() => [id], [id]);
  const stream = useJobStream(ids);
  const { jobs, isWhole, connection } = useLiveJobs(stream);
  const told = jobs.find((job) => job.id === id);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["job", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/jobs/{id}", { params: { path: { id } }, signal })),
    refetchOnWindowFocus: false,
  });
  const isGone = error instanceof ApiError && error.status === 404;
  const isBehind = told !== undefined && data !== undefined && told.revision > data.revision && !isGone;
  const pauseMs = isBehind && awaitsResult(data, told) ? 0 : PAUSE_MS;
  useEffect(() => {
    if (!isBehind || isFetching) return undefined;
    const timer = setTimeout(() => void refetch(), error === null ? pauseMs : PAUSE_AFTER_FAULT_MS);
    return () => clearTimeout(timer);
  }, [isBehind, isFetching, error, refetch, pauseMs]);
  const job = useMemo(() => newest(data, told), [data, told]);
  const isDeleted = data !== undefined && (isGone || (isWhole && told === undefined));
  const retry = () => {
    stream.retry();
    void refetch();
  };
  return { job, error, retry, connection, isDeleted };
}
