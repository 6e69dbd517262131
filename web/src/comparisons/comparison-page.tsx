/** A comparison: its ladders as curves, their BD-rates, and every encode. */
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearchParams } from "react-router";
import { withoutEncoderText } from "../../../src/jobs/media/grouping.ts";
import { scorersOf } from "../../../src/jobs/scored-apart.ts";
import { bodyOf } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import { useSession } from "../session/session.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { ScorersNote } from "../ui/scorers-note.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { CellsTable } from "./cells-table.tsx";
import { ComparisonHead } from "./comparison-head.tsx";
import { type Comparison, choiceOf, hasEnded, titleOf } from "./comparison-view.ts";
import { Controls } from "./controls.tsx";
import { DeltaTable } from "./delta-table.tsx";
import { DifferenceChart } from "./difference-chart.tsx";
import { LadderChart } from "./ladder-chart.tsx";
import { ProposedLadders } from "./proposed-ladders.tsx";
import { RungList } from "./rung-list.tsx";
import { WorstSegments } from "./worst-segments.tsx";
import "../style/compare.css";
import "../style/comparisons.css";

/** Polling interval in milliseconds while cells are in progress. */
const LOOK_EVERY_MS = 2_000;

export function ComparisonPage() {
  const { id = "" } = useParams();
  const { api } = useSession();
  const [params] = useSearchParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["comparison", id],
    queryFn: () => bodyOf(api.GET("/v1/comparisons/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => state.data !== undefined && !hasEnded(state.data) && LOOK_EVERY_MS,
  });
  usePageTitle(data === undefined ? "Comparison" : titleOf(data));
  if (data === undefined && error === null) return <Loading what="the comparison" />;
  if (data === undefined) {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Empty heading="h1" title="Comparison not found">
          <p>It does not exist, or it was deleted.</p>
        </Empty>
      );
    return <Failed heading="h1" error={error ?? new Error("no answer")} retry={() => void refetch()} />;
  }
  const choice = choiceOf(data, params);
  return (
    <div className="compare comparison">
      <ComparisonHead comparison={data} stale={error?.message} />
      <ScorersNote scorers={scorersOf(data.cells ?? [])} />
      <EncoderNote comparison={data} />
      {(data.metrics ?? []).length > 0 && (
        <>
          <Controls comparison={data} choice={choice} />
          <LadderChart comparison={data} choice={choice} />
          <DifferenceChart comparison={data} choice={choice} />
          <DeltaTable comparison={data} choice={choice} />
          <RungList comparison={data} clip={choice.clip} />
          <ProposedLadders comparison={data} clip={choice.clip} />
        </>
      )}
      <CellsTable comparison={data} choice={choice} />
      <WorstSegments comparison={data} />
    </div>
  );
}

/** Says for how many encodes the codec stands for the encoder in the names of ladders. */
function EncoderNote({ comparison: { ladders = [] } }: { readonly comparison: Comparison }) {
  const own = ladders.filter(({ withoutEncoder = 0 }) => withoutEncoder > 0);
  if (own.length === 0) return null;
  const count = own.reduce((sum, { withoutEncoder = 0 }) => sum + withoutEncoder, 0);
  return (
    <p className="quiet" role="note">
      {withoutEncoderText(count)} Ladders: <bdi>{own.map(({ name }) => name).join(", ")}</bdi>.
    </p>
  );
}
