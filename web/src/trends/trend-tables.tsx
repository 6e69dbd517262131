/** The releases, and the clips of the two that are compared. */
import { useState } from "react";
import { Link } from "react-router";
import { signedText } from "../../../src/jobs/quantities.ts";
import { type TrendTable, trendCsv } from "../../../src/report/csv/trends.ts";
import { type ClipDifference, differencesOf } from "../../../src/report/trend-clips.ts";
import { scoreText, unitOf } from "../chart/data/metrics.ts";
import { DownloadCsv, safeName } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import { differenceText, STATISTICS, type Trend } from "./trend-view.ts";

/** Number of clips that are shown at first. */
const SHOWN = 50;

export function ReleaseTable({ trend }: { readonly trend: Trend }) {
  const { releases, delta, by } = trend;
  return (
    <section className="card" aria-label="Releases">
      <Heading table="releases" trend={trend} />
      <ScrollArea label="Releases">
        <table className="trend-table">
          <thead>
            <tr>
              <th scope="col">{by}</th>
              <th scope="col" className="number">
                Clips
              </th>
              <th scope="col" className="number">
                Difference from {delta?.baseline}
              </th>
              <th scope="col">Change</th>
              <th scope="col">Scored with</th>
            </tr>
          </thead>
          <tbody>
            {releases.toReversed().map((release) => (
              <tr key={release.name}>
                <td>
                  <bdi>{release.name}</bdi>
                </td>
                <td className="number">{release.clips}</td>
                <td className="number">{release.delta ? differenceText(release.delta) : "baseline"}</td>
                <td>
                  {release.change && `${differenceText(release.change)} over ${release.change.clips} clips`}
                </td>
                <td className="quiet">{release.scorers.join("; ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}

interface HeadingProps {
  readonly table: TrendTable;
  readonly trend: Trend;
}

function Heading({ table, trend }: HeadingProps) {
  const { by, delta } = trend;
  const pair = table === "clips" && delta ? `-${delta.candidate}-${delta.baseline}` : "";
  return (
    <div className="section-head">
      <h2>{table === "clips" ? "Clips" : "Releases"}</h2>
      <DownloadCsv of={table} name={safeName(`${by}${pair}-${table}`)} lines={() => trendCsv(table, trend)} />
    </div>
  );
}

export function ClipTable({ trend }: { readonly trend: Trend }) {
  const [isAll, setIsAll] = useState(false);
  const { delta } = trend;
  if (delta === undefined) return null;
  const all = differencesOf(trend);
  const shown = isAll ? all : all.slice(0, SHOWN);
  return (
    <section className="card" aria-label="Clips">
      <Heading table="clips" trend={trend} />
      <ScrollArea label="Clips">
        <table className="trend-table">
          <thead>
            <tr>
              <th scope="col">Clip</th>
              <th scope="col" className="number">
                {delta.baseline}
              </th>
              <th scope="col" className="number">
                {delta.candidate}
              </th>
              <th scope="col" className="number">
                Difference
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((difference) => (
              <ClipRow key={difference.clip.name} difference={difference} trend={trend} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {all.length > shown.length && (
        <button type="button" onClick={() => setIsAll(true)}>
          Show all {all.length} clips
        </button>
      )}
    </section>
  );
}

interface ClipRowProps {
  readonly difference: ClipDifference;
  readonly trend: Trend;
}

function ClipRow({ difference: { clip, before, after, difference }, trend }: ClipRowProps) {
  const unit = unitOf(trend.metric, new Map());
  const gain = trend.lowerIsBetter ? -(difference ?? 0) : (difference ?? 0);
  const isBeyond = Math.abs(gain) > trend.threshold;
  return (
    <tr>
      <td>
        <bdi>{clip.name}</bdi>
      </td>
      {[before, after].map((score, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two cells
        <td key={index} className="number">
          {score?.score === undefined ? (
            "–"
          ) : (
            <Link to={`/jobs/${score.jobId}`}>{scoreText(score.score, unit)}</Link>
          )}
        </td>
      ))}
      <td className={`number ${isBeyond ? (gain < 0 ? "worse" : "better") : ""}`}>
        {difference === undefined ? "–" : signedText(difference, unit.decimals)}
      </td>
    </tr>
  );
}

/** "8 of 40 clips worse by more than 0.5 · mean −0.42 ± 0.21 · P5 −1.40 ± 0.30". */
export function summaryText({ delta, statistic, threshold }: Trend): string {
  if (delta === undefined) return "";
  const { clips = 0 } = delta.statistics[statistic] ?? {};
  if (clips === 0) return "No clip has a score in both releases.";
  const names = [...new Set([statistic, "p5"])] as (keyof typeof STATISTICS)[];
  const shown = names.flatMap((name) => {
    const own = delta.statistics[name];
    return own?.mean === undefined ? [] : [`${STATISTICS[name]} ${differenceText(own)}`];
  });
  const better = delta.better > 0 ? `, ${delta.better} better` : "";
  return [`${delta.worse} of ${clips} clips worse by more than ${threshold}${better}`, ...shown].join(" · ");
}
