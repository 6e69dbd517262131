/** The start page: the tasks of the console, and the newest comparisons and jobs. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useNavigate } from "react-router";
import { bodyOf } from "../api/client.ts";
import {
  progressText as comparisonProgress,
  titleOf as comparisonTitle,
} from "../comparisons/comparison-view.ts";
import { NewComparison } from "../comparisons/new-comparison.tsx";
import { useJobActions } from "../jobs/job-actions.tsx";
import { JobName, Score } from "../jobs/job-cells.tsx";
import type { Job } from "../jobs/job-facts.ts";
import { hasRole, useSession } from "../session/session.ts";
import { Age } from "../ui/age.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { StateChip } from "../ui/state-chip.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import "../style/home.css";

/** Number of entries in each list. */
const SHOWN = 5;
/** Polling interval in milliseconds. */
const LOOK_EVERY_MS = 10_000;

export function HomePage() {
  usePageTitle("Home");
  return (
    <div className="home">
      <Start />
      <div className="home-lists">
        <Comparisons />
        <Jobs title="Latest jobs" query={{}} more="/jobs" none="No jobs yet." />
        <Jobs
          title="Latest failures"
          query={{ state: ["FAILED"] }}
          more="/jobs?state=FAILED"
          none="No job failed."
        />
      </div>
    </div>
  );
}

/** Links to the tasks of the console, each with its purpose. */
function Start() {
  const { caller } = useSession();
  const navigate = useNavigate();
  const actions = useJobActions(() => {});
  const [isComparing, setIsComparing] = useState(false);
  const mayWrite = hasRole(caller, "svc:writer");
  return (
    <section aria-labelledby="start">
      <h1 id="start">What do you want to know?</h1>
      {actions.outcome}
      <ul className="home-tasks">
        {mayWrite && (
          <>
            <Task text="How good is one encode, frame by frame?">
              <button type="button" className="primary" onClick={actions.may?.submit}>
                Score videos
              </button>
            </Task>
            <Task text="Which encode is best, and how many bits does a codec save?">
              <button type="button" className="primary" onClick={() => setIsComparing(true)}>
                Compare encodes
              </button>
            </Task>
          </>
        )}
        <Task text="Is this release worse than the last one?">
          <Link className="button" to="/trends">
            Compare releases
          </Link>
        </Task>
        <Task text="What was scored lately?">
          <Link className="button" to="/jobs?since=7d">
            Jobs of the last 7 days
          </Link>
        </Task>
      </ul>
      {actions.dialog}
      {isComparing && (
        <NewComparison
          close={() => setIsComparing(false)}
          done={(id) => void navigate(`/comparisons/${id}`)}
        />
      )}
    </section>
  );
}

function Task({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <li className="card">
      <p>{text}</p>
      {children}
    </li>
  );
}

function Comparisons() {
  const { api } = useSession();
  const found = useQuery({
    queryKey: ["comparisons", "latest"],
    queryFn: () => bodyOf(api.GET("/v1/comparisons", { params: { query: { pageSize: SHOWN } } })),
    refetchInterval: LOOK_EVERY_MS,
  });
  return (
    <Latest title="Latest comparisons" more="/comparisons" none="No comparisons yet." found={found}>
      {found.data?.comparisons.map((comparison) => (
        <li key={comparison.id}>
          <Link to={`/comparisons/${comparison.id}`}>
            <bdi>{comparisonTitle(comparison)}</bdi>
          </Link>
          <span className="quiet">
            {comparisonProgress(comparison)} · <Age time={comparison.createTime} /> ago
          </span>
        </li>
      ))}
    </Latest>
  );
}

interface JobsProps {
  readonly title: string;
  readonly query: { readonly state?: Job["state"][] };
  readonly more: string;
  readonly none: string;
}

function Jobs({ title, query, more, none }: JobsProps) {
  const { api } = useSession();
  const found = useQuery({
    queryKey: ["jobs", "latest", query],
    queryFn: () => bodyOf(api.GET("/v1/jobs", { params: { query: { ...query, pageSize: SHOWN } } })),
    refetchInterval: LOOK_EVERY_MS,
  });
  return (
    <Latest title={title} more={more} none={none} found={found}>
      {found.data?.jobs.map((job) => (
        <li key={job.id}>
          <JobName job={job} />
          <span className="quiet">
            <StateChip state={job.state} /> {job.score !== undefined && <Score job={job} />}
            {job.error?.code} <Age time={job.createTime} /> ago
          </span>
        </li>
      ))}
    </Latest>
  );
}

interface LatestProps extends Pick<JobsProps, "title" | "more" | "none"> {
  readonly found: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly children: ReactNode[] | undefined;
}

/** The newest entries of a list, with a link to all of them. */
function Latest({ title, more, none, found, children }: LatestProps) {
  return (
    <section className="card" aria-label={title}>
      <div className="section-head">
        <h2>{title}</h2>
        <Link className="button small" to={more}>
          Show all
        </Link>
      </div>
      {children === undefined ? (
        found.isPending ? (
          <Loading what={title.toLowerCase()} />
        ) : (
          <Failed error={found.error ?? new Error("no answer")} retry={() => void found.refetch()} />
        )
      ) : children.length === 0 ? (
        <p className="quiet">{none}</p>
      ) : (
        <ul className="home-list">{children}</ul>
      )}
    </section>
  );
}
