/** The live list of all jobs of the tenant. */
import { useCallback, useDeferredValue, useMemo } from "react";
import { useSearchParams } from "react-router";
import { scorersOf } from "../../../src/jobs/scored-apart.ts";
import { jobsCsv } from "../../../src/report/csv/jobs.ts";
import { type JobStream, type LiveJobs, useJobStream, useLiveJobs } from "../api/job-stream.ts";
import { useMinute } from "../ui/age.tsx";
import { ConnectionBanner, ConnectionState } from "../ui/connection-state.tsx";
import { CopyLink } from "../ui/copy-button.tsx";
import { DownloadCsv } from "../ui/save.tsx";
import { ScorersNote } from "../ui/scorers-note.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { Filters, unfiltered } from "./filters.tsx";
import { type JobActions, useJobActions } from "./job-actions.tsx";
import { countText, type Job } from "./job-facts.ts";
import { inOrder, select } from "./job-order.ts";
import { type JobQuery, queryOf, toggled, withQuery } from "./job-query.ts";
import { JobsTable } from "./jobs-table.tsx";
import { useSelection } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";
import "../style/jobs/marks.css";
import "../style/jobs/page.css";
import "../style/jobs/table.css";
import "../style/jobs/cells.css";
import "../style/jobs/cards.css";
import "../style/jobs/dialogs.css";

export function JobsPage() {
  const stream = useJobStream();
  const live = useLiveJobs(stream);
  const put = useCallback((job: Job) => stream.put(job), [stream]);
  const actions = useJobActions(put);
  const retry = () => stream.retry();
  return (
    <div className="jobs">
      <div className="jobs-head">
        <h1>Jobs</h1>
        <ConnectionState connection={live.connection} />
        {live.jobs.length > 0 && (
          <span className="copy-view">
            <CopyLink />
          </span>
        )}
        {actions.may !== undefined && (
          <button type="button" className="primary" onClick={actions.may.submit}>
            Submit jobs
          </button>
        )}
      </div>
      {actions.outcome}
      {live.jobs.length === 0 ? (
        <NoJobs live={live} retry={retry} actions={actions} />
      ) : (
        <>
          <ConnectionBanner connection={live.connection} retry={retry} />
          <Jobs live={live} actions={actions} />
        </>
      )}
      {actions.dialog}
    </div>
  );
}

interface NoJobsProps {
  readonly live: LiveJobs;
  readonly retry: JobStream["retry"];
  readonly actions: JobActions;
}

function NoJobs({ live: { connection, isWhole }, retry, actions }: NoJobsProps) {
  if (connection.state === "lost" || connection.state === "refused")
    return <Failed error={connection.error} retry={retry} />;
  if (!isWhole) return <Loading what="jobs" />;
  return (
    <Empty title="No jobs yet">
      <p>
        A job scores a distorted video against its reference.{" "}
        {actions.may === undefined
          ? "Jobs that your tenant submits appear here."
          : "Submit one here, or from a shell:"}
      </p>
      {actions.may !== undefined && (
        <>
          <p>
            <code>svc jobs submit REFERENCE DISTORTED</code>
          </p>
          <button type="button" className="primary" onClick={actions.may.submit}>
            Submit the first job
          </button>
        </>
      )}
    </Empty>
  );
}

interface JobsProps {
  readonly live: LiveJobs;
  readonly actions: JobActions;
}

function Jobs({ live, actions }: JobsProps) {
  const [query, change] = useJobQuery();
  const selection = useSelection();
  // User input has priority over arriving updates.
  const all = useDeferredValue(live.jobs);
  const now = useMinute();
  const { jobs, counts } = useMemo(() => select(all, query, now), [all, query, now]);
  const scorers = useMemo(() => scorersOf(jobs), [jobs]);
  // The page Compare numbers the jobs in this order.
  const chosen = useMemo(
    () =>
      inOrder(
        all.filter(({ id }) => selection.ids.has(id)),
        query,
      ),
    [all, selection, query],
  );
  const rowActions = useRowActions(actions, selection.toggle, change);
  return (
    <>
      <Filters query={query} counts={counts} change={change} />
      {jobs.length === 0 ? (
        <Empty title="No matching jobs">
          <p>None of the {countText(all.length)} jobs matches the filters.</p>
          <button type="button" onClick={() => change(unfiltered(query))}>
            Clear filters
          </button>
        </Empty>
      ) : (
        <JobsTable {...{ jobs, query, change, selection }} actions={rowActions} />
      )}
      <div className="jobs-foot">
        <p className="quiet jobs-count" role={live.isWhole ? undefined : "status"}>
          {countText(jobs.length)} of {countText(all.length)} jobs
          {!live.isWhole && ", loading more …"}
        </p>
        {jobs.length > 0 && <DownloadCsv of="shown jobs" name="jobs" lines={() => jobsCsv(jobs)} />}
      </div>
      <ScorersNote scorers={scorers} />
      {chosen.length > 0 && (
        <SelectionBar
          jobs={chosen}
          hidden={hiddenOf(chosen, jobs)}
          clear={() => selection.set([])}
          cancel={actions.may?.cancel}
          again={actions.may?.again}
          remove={actions.may?.delete}
        />
      )}
    </>
  );
}

function hiddenOf(chosen: readonly Job[], shown: readonly Job[]): number {
  const ids = new Set(shown.map(({ id }) => id));
  return chosen.filter(({ id }) => !ids.has(id)).length;
}

type Change = (query: JobQuery | ((query: JobQuery) => JobQuery)) => void;

/** The query in the URL, and a function that changes it. */
function useJobQuery(): readonly [JobQuery, Change] {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  const query = useMemo(() => queryOf(new URLSearchParams(text)), [text]);
  const change: Change = useCallback(
    (next) =>
      setParams((params) => withQuery(params, typeof next === "function" ? next(queryOf(params)) : next), {
        replace: true,
      }),
    [setParams],
  );
  return [query, change];
}

function useRowActions({ may }: JobActions, toggle: (id: string) => void, change: Change) {
  return useMemo(
    () => ({
      select: toggle,
      toggleLabel: (label: string) => change((query) => ({ ...query, labels: toggled(query.labels, label) })),
      cancel: may && ((job: Job) => may.cancel([job])),
      again: may && ((job: Job) => may.again([job])),
    }),
    [may, toggle, change],
  );
}
