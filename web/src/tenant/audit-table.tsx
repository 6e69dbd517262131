/** Completed and refused operations of the tenant, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { bodyOf, type Schemas } from "../api/client.ts";
import { countText } from "../jobs/job-facts.ts";
import { useSession } from "../session/session.ts";
import { Age } from "../ui/age.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { Who } from "./who.tsx";

type AuditRecord = Schemas["AuditRecord"];

export function AuditTable() {
  const { api } = useSession();
  const audit = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ pageParam }) =>
      bodyOf(
        api.GET("/v1/tenant/audit", {
          params: { query: { pageSize: 50, ...(pageParam !== "" && { pageToken: pageParam }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => (nextPageToken === "" ? undefined : nextPageToken),
  });
  const records = audit.data?.pages.flatMap((page) => page.records) ?? [];
  return (
    <section className="card" aria-labelledby="audit">
      <h2 id="audit">Audit log</h2>
      {audit.isPending && <Loading what="the audit log" />}
      {audit.isError && <Failed error={audit.error} retry={() => void audit.refetch()} />}
      {audit.isSuccess && records.length === 0 && <p>No changes or refused requests yet.</p>}
      {records.length > 0 && <Records records={records} />}
      {audit.hasNextPage && (
        <button type="button" disabled={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
          Show more
        </button>
      )}
    </section>
  );
}

function Records({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <ScrollArea label="Audit log">
      <table className="audit">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Subject</th>
            <th scope="col">Operation</th>
            <th scope="col">Outcome</th>
            <th scope="col">Target</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={`${record.requestId} ${record.time} ${record.outcome}`}>
              <td>
                <Age time={record.time} />
              </td>
              <td>
                <Who subject={record.subject} />
              </td>
              <td>{record.operation.replace(/^svc\.v1\./, "")}</td>
              <td className={record.outcome === "OK" ? undefined : "failed"}>
                {record.outcome}
                {record.count > 1 && ` × ${record.count}`}
              </td>
              <td>
                <Many record={record} />
                <Targets ids={record.targets} isOfJobs={/job|score/i.test(record.operation)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

/** For a call that changes many jobs: their number and the filter. */
function Many({ record: { jobs, filter = "" } }: { readonly record: AuditRecord }) {
  if (jobs === undefined) return null;
  return (
    <>
      {countText(jobs)} {jobs === 1 ? "job" : "jobs"}{" "}
      <bdi className="mono" title={filter}>
        {filter.slice(0, 60)}
      </bdi>{" "}
    </>
  );
}

function Targets({ ids, isOfJobs }: { readonly ids: readonly string[]; readonly isOfJobs: boolean }) {
  const [first, ...more] = ids;
  if (first === undefined) return null;
  return (
    <>
      {isOfJobs ? (
        <Link to={`/jobs/${encodeURIComponent(first)}`} className="mono">
          {first.slice(0, 8)}
        </Link>
      ) : (
        <bdi className="mono">{first.slice(0, 40)}</bdi>
      )}
      {more.length > 0 && ` and ${more.length} more`}
    </>
  );
}
