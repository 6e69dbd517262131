/** The table of a comparison's encodes: bit rate, and scores or the reason why there are none. */
import { Link } from "react-router";
import { bitRateText, resolutionText } from "../../../src/jobs/quantities.ts";
import { fileName } from "../../../src/jobs/text/file-name.ts";
import { tableCsv } from "../../../src/report/csv/comparison.ts";
import { isOnCurve } from "../../../src/report/curve-notes.ts";
import { scoreText, unitOf } from "../chart/data/metrics.ts";
import { nameOf } from "../chart/metric-name.tsx";
import { GateBadge } from "../gates/gate-badge.tsx";
import { LadderSwatch } from "../rates/ladder-series.tsx";
import { DownloadCsv } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import { StateChip } from "../ui/state-chip.tsx";
import { ParamSelect } from "../ui/url-param.tsx";
import {
  type Cell,
  type Choice,
  type Comparison,
  clipsOf,
  fileOf,
  looksOf,
  rangesOf,
} from "./comparison-view.ts";

const COLUMNS = [
  ["mean", "Mean"],
  ["harmonicMean", "Harmonic mean"],
  ["p5", "P5"],
  ["min", "Min"],
] as const;

const ORDERS = [
  ["ladder", "By ladder and bit rate"],
  ["worst", "Worst first"],
] as const;

interface CellsTableProps {
  readonly comparison: Comparison;
  readonly choice: Choice;
}

export function CellsTable({ comparison, choice }: CellsTableProps) {
  const { cells = [], ladders = [] } = comparison;
  const names = ladders.map(({ name }) => name);
  const looks = looksOf(comparison);
  const hasClips = clipsOf(comparison).length > 1;
  const unit = unitOf(choice.metric, rangesOf(comparison));
  const metric = choice.metric === "" ? "score" : nameOf(choice.metric, [choice.metric]);
  return (
    <section className="card" aria-label="Encodes">
      <div className="section-head">
        <h2>Encodes</h2>
        <DownloadCsv
          of="scores of the encodes"
          name={fileOf(comparison, "scores")}
          lines={() => tableCsv("scores", comparison)}
        />
        {choice.metric !== "" && (
          <ParamSelect name="order" label="Order" value={choice.order} options={ORDERS} />
        )}
      </div>
      <ScrollArea label="Encodes">
        <table className="cells-table">
          <caption className="unseen">Encodes by clip and ladder, with their bit rates and {metric}</caption>
          <thead>
            <tr>
              {hasClips && <th>Clip</th>}
              <th>Ladder</th>
              <th>Encode</th>
              <th className="number">Bit rate</th>
              {COLUMNS.map(([key, text]) => (
                <th key={key} className="number">
                  {key === "mean" ? `${metric} ${text.toLowerCase()}` : text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(choice.order === "worst"
              ? worstFirst(cells, choice.metric, unit.better === "lower")
              : inOrder(cells, names)
            ).map((cell) => (
              <tr key={cell.number}>
                {hasClips && (
                  <td>
                    <bdi>{cell.clip}</bdi>
                  </td>
                )}
                <td>
                  {cell.ladder !== "" && (
                    <>
                      <LadderSwatch look={looks.get(cell.ladder)} /> <bdi>{cell.ladder}</bdi>
                    </>
                  )}
                </td>
                <th scope="row">
                  <Encode cell={cell} metric={choice.metric} />
                </th>
                <td className="number">
                  {cell.media?.videoBitRate === undefined ? "–" : bitRateText(cell.media.videoBitRate)}
                </td>
                {cell.pooled[choice.metric] === undefined ? (
                  <td colSpan={COLUMNS.length}>
                    <Outcome cell={cell} />
                  </td>
                ) : (
                  COLUMNS.map(([key]) => (
                    <td key={key} className="number">
                      {scoreText(cell.pooled[choice.metric]?.[key] ?? Number.NaN, unit)}
                    </td>
                  ))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}

/** Sorts by clip, ladder and bit rate; clips and ladders in the order in which they were given. */
function inOrder(cells: readonly Cell[], ladders: readonly string[]): readonly Cell[] {
  const clips = [...new Set(cells.map(({ clip }) => clip))];
  return cells.toSorted(
    (one, other) =>
      clips.indexOf(one.clip) - clips.indexOf(other.clip) ||
      ladders.indexOf(one.ladder) - ladders.indexOf(other.ladder) ||
      (one.media?.videoBitRate ?? 0) - (other.media?.videoBitRate ?? 0) ||
      one.number - other.number,
  );
}

/** Sorts by the mean of a metric, the worst first; encodes without a score come last. */
function worstFirst(cells: readonly Cell[], metric: string, isLowerBetter: boolean): readonly Cell[] {
  const rankOf = ({ pooled }: Cell) => {
    const mean = pooled[metric]?.mean;
    return mean === undefined ? Number.POSITIVE_INFINITY : isLowerBetter ? -mean : mean;
  };
  return cells.toSorted((one, other) => rankOf(one) - rankOf(other) || one.number - other.number);
}

interface EncodeProps {
  readonly cell: Cell;
  readonly metric: string;
}

function Encode({ cell, metric }: EncodeProps) {
  const { jobId, distorted, state, media } = cell;
  const name = <bdi title={distorted}>{fileName(distorted)}</bdi>;
  return (
    <>
      {state === "STATE_UNSPECIFIED" ? name : <Link to={`/jobs/${jobId}`}>{name}</Link>}
      {media !== undefined && (
        <span className="quiet">
          {" "}
          {media.codec} · {resolutionText(media.width, media.height)}
          {!isOnCurve(cell, metric) && " · not on the hull"}
        </span>
      )}
      {(cell.gates ?? []).length > 0 && (
        <>
          {" "}
          <GateBadge job={cell} />
        </>
      )}
    </>
  );
}

function Outcome({ cell: { state, error } }: { readonly cell: Cell }) {
  return (
    <>
      {state === "STATE_UNSPECIFIED" ? (
        <span className="state-chip">Deleted</span>
      ) : (
        <StateChip state={state} />
      )}
      {error !== undefined && (
        <>
          {" "}
          <bdi>{error.message}</bdi> <code>{error.code}</code>
        </>
      )}
    </>
  );
}
