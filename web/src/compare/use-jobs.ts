/** Several live jobs, each with its details. */
import { type UseQueryResult, useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { bodyOf, type Job } from "../api/client.ts";
import { newest } from "../api/job-details.ts";
import { type Connection, useJobStream, useLiveJobs } from "../api/job-stream.ts";
import { useSession } from "../session/session.ts";

/** Minimum interval between fetches of the details; the stream reports every change of the frame count. */
const PAUSE_MS = 500;
const PAUSE_AFTER_FAULT_MS = 3_000;

export interface Entry {
  readonly id: string;
  /** undefined if not known (yet). */
  readonly job: Job | undefined;
  /** Why the job is not known. */
  readonly error: Error | null;
}

export interface Jobs {
  readonly entries: readonly Entry[];
  readonly connection: Connection;
  readonly retry: () => void;
}

interface Answer {
  readonly data: Job | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
}

/** `ids`: at least one; the same array while the ids are the same. */
export function useJobs(ids: readonly string[]): Jobs {
  const { api } = useSession();
  const stream = useJobStream(ids);
  const { jobs, connection } = useLiveJobs(stream);
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["job", id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        bodyOf(api.GET("/v1/jobs/{id}", { params: { path: { id } }, signal })),
      refetchOnWindowFocus: false,
    })),
    combine,
  });
  const entries = useMemo(
    () =>
      ids.map((id, index) => {
        const { data, error = null } = answers[index] ?? {};
        const streamed = jobs.find((job) => job.id === id);
        return { id, job: newest(data, streamed), error };
      }),
    [ids, answers, jobs],
  );
  useCatchUp(ids, answers, jobs);
  const client = useQueryClient();
  const retry = () => {
    stream.retry();
    for (const { id, error } of entries)
      if (error !== null) void client.refetchQueries({ queryKey: ["job", id] });
  };
  return { entries, connection, retry };
}

function combine(results: UseQueryResult<Job>[]): Answer[] {
  return results.map(({ data, error, isFetching }) => ({ data, error, isFetching }));
}

/** Fetches details again if the stream has a newer revision. */
function useCatchUp(ids: readonly string[], answers: readonly Answer[], jobs: readonly Job[]): void {
  const client = useQueryClient();
  const behind = ids.filter((id, index) => {
    const answer = answers[index];
    const streamed = jobs.find((job) => job.id === id);
    return streamed && answer?.data && !answer.isFetching && streamed.revision > answer.data.revision;
  });
  const key = behind.join("\n");
  const hasFailed = answers.some(({ error }) => error !== null);
  useEffect(() => {
    if (key === "") return undefined;
    const timer = setTimeout(
      () => {
        for (const id of key.split("\n")) void client.refetchQueries({ queryKey: ["job", id] });
      },
      hasFailed ? PAUSE_AFTER_FAULT_MS : PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [client, key, hasFailed]);
}
