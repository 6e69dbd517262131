/** The comparisons of the tenant, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { bodyOf } from "../api/client.ts";
import { hasRole, useSession } from "../session/session.ts";
import { Age } from "../ui/age.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { type Comparison, hasEnded, progressText, titleOf } from "./comparison-view.ts";
import { NewComparison } from "./new-comparison.tsx";
import "../style/comparisons.css";

/** Polling interval in milliseconds while a comparison is in progress. */
const LOOK_EVERY_MS = 5_000;

export function ComparisonsPage() {
  const { api } = useSession();
  const pages = useInfiniteQuery({
    queryKey: ["comparisons"],
    queryFn: ({ pageParam }) => bodyOf(api.GET("/v1/comparisons", { params: { query: pageParam } })),
    initialPageParam: {},
    getNextPageParam: ({ nextPageToken }) => (nextPageToken ? { pageToken: nextPageToken } : undefined),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ comparisons }) => !comparisons.every(hasEnded)) && LOOK_EVERY_MS,
  });
  usePageTitle("Comparisons");
  if (pages.isPending) return <Loading what="comparisons" />;
  if (pages.data === undefined)
    return <Failed heading="h1" error={pages.error} retry={() => void pages.refetch()} />;
  const all = pages.data.pages.flatMap(({ comparisons }) => comparisons);
  return (
    <div className="comparisons">
      <div className="comparison-title">
        <h1>Comparisons</h1>
        <Submit />
      </div>
      <p className="quiet">
        A comparison scores encodes in the same way and compares their ladders by BD-rate.{" "}
        <Link to="/compare">Compare jobs frame by frame</Link> to look at a few encodes of one reference.
      </p>
      {all.length === 0 ? <None /> : <List all={all} />}
      {pages.hasNextPage && (
        <p>
          <button
            type="button"
            disabled={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            {pages.isFetchingNextPage ? "Loading …" : "Show more"}
          </button>
        </p>
      )}
    </div>
  );
}

function Submit() {
  const { caller } = useSession();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  if (!hasRole(caller, "svc:writer")) return null;
  return (
    <>
      <button type="button" className="primary" onClick={() => setIsOpen(true)}>
        New comparison
      </button>
      {isOpen && (
        <NewComparison close={() => setIsOpen(false)} done={(id) => void navigate(`/comparisons/${id}`)} />
      )}
    </>
  );
}

function None() {
  return (
    <Empty title="No comparisons">
      <p>Submit one here, or many clips at once with the command line:</p>
      <p>
        <code>svc compare --from LIST.csv --submit</code>
      </p>
    </Empty>
  );
}

function List({ all }: { readonly all: readonly Comparison[] }) {
  return (
    <ul className="card comparison-list">
      {all.map((comparison) => (
        <li key={comparison.id}>
          <Link to={`/comparisons/${comparison.id}`}>
            <bdi>{titleOf(comparison)}</bdi>
          </Link>
          <span>{progressText(comparison)}</span>
          <span className="quiet">
            submitted <Age time={comparison.createTime} /> ago by{" "}
            <bdi>{comparison.submittedBy || "anonymous"}</bdi>
          </span>
        </li>
      ))}
    </ul>
  );
}
