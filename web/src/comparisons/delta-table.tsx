/** BD-rates of the ladders against the anchor, averaged and clip by clip. */

import { overlapText } from "../../../src/rates/overlap-text.ts";
import { tableCsv } from "../../../src/report/csv/comparison.ts";
import { curveNotes } from "../../../src/report/curve-notes.ts";
import type { LadderLook } from "../../../src/report/ladder-looks.ts";
import { unitOf } from "../chart/data/metrics.ts";
import { nameOf } from "../chart/metric-name.tsx";
import { bdRateText, bdScoreText, lowOverlapText } from "../rates/delta-texts.ts";
import { LadderSwatch } from "../rates/ladder-series.tsx";
import { DownloadCsv } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import {
  type Choice,
  type Comparison,
  clipsOf,
  type Delta,
  fileOf,
  looksOf,
  rangesOf,
} from "./comparison-view.ts";

interface DeltaTableProps {
  readonly comparison: Comparison;
  readonly choice: Choice;
}

export function DeltaTable({ comparison, choice }: DeltaTableProps) {
  const { deltas = [], anchor } = comparison;
  const looks = looksOf(comparison);
  const shown = deltas.filter(
    ({ metric, method, scale }) =>
      metric === choice.metric && method === choice.method && scale === scaleOf(comparison, choice),
  );
  const unit = unitOf(choice.metric, rangesOf(comparison));
  const quality = {
    symbol: scaleOf(comparison, choice) === "log" ? "dB" : unit.symbol,
    decimals: unit.decimals,
  };
  const clips = clipsOf(comparison);
  return (
    <section className="card" aria-label="BD-rate">
      <div className="section-head">
        <h2>
          BD-rate against <bdi>{anchor}</bdi>
        </h2>
        {deltas.length > 0 && <DeltaDownloads comparison={comparison} />}
      </div>
      {shown.length === 0 ? (
        <p className="quiet">There is no other ladder to compare with {anchor} yet.</p>
      ) : (
        <>
          <ScrollArea label="BD-rate">
            <table className="delta-table">
              <caption className="unseen">
                BD-rate by {nameOf(choice.metric, [choice.metric])} of each ladder against {anchor}
              </caption>
              <thead>
                <tr>
                  <th>Ladder</th>
                  <th>Clip</th>
                  <th className="number">BD-rate</th>
                  <th className="number">BD-quality</th>
                  <th className="number">Overlap</th>
                  <th>Note</th>
                </tr>
              </thead>
              {shown.map((delta) => (
                <LadderRows
                  key={delta.ladder}
                  delta={delta}
                  look={looks.get(delta.ladder)}
                  quality={quality}
                  isOne={clips.length === 1}
                />
              ))}
            </table>
          </ScrollArea>
          <p className="quiet">
            BD-rate: how many more or fewer bits a ladder needs for the same score. BD-quality: how much
            higher its score is at the same bit rate. Bit rates are those of the video tracks.
          </p>
        </>
      )}
    </section>
  );
}

/** Saves the numbers of every metric, method and scale. The averages of one clip are its numbers. */
function DeltaDownloads({ comparison }: { readonly comparison: Comparison }) {
  return (
    <span className="downloads">
      <DownloadCsv
        of="BD-rates"
        name={fileOf(comparison, "bd-rates")}
        lines={() => tableCsv("bd-rates", comparison)}
      />
      {clipsOf(comparison).length > 1 && (
        <DownloadCsv
          of="BD-rates"
          text="Download averages"
          name={fileOf(comparison, "averages")}
          lines={() => tableCsv("averages", comparison)}
        />
      )}
    </span>
  );
}

/** Metrics without a largest score cannot be expressed in decibels from it. */
function scaleOf({ deltas = [] }: Comparison, { metric, scale }: Choice): string {
  return deltas.some((delta) => delta.metric === metric && delta.scale === scale) ? scale : "linear";
}

interface LadderRowsProps {
  readonly delta: Delta;
  readonly look: LadderLook | undefined;
  readonly quality: { readonly symbol: string; readonly decimals: number };
  /** Whether the comparison has a single clip. */
  readonly isOne: boolean;
}

function LadderRows({ delta, look, quality, isOne }: LadderRowsProps) {
  const { ladder, byClip, clips, refused } = delta;
  const name = (
    <th scope="rowgroup" rowSpan={byClip.length + (isOne ? 0 : 1)}>
      <LadderSwatch look={look} /> <bdi>{ladder}</bdi>
    </th>
  );
  return (
    <tbody>
      {!isOne && (
        <tr className="average">
          {name}
          <td>Mean of {clips === 1 ? "1 clip" : `${clips} clips`}</td>
          <td className="number">{bdRateText(delta.bdRate)}</td>
          <td className="number">{bdScoreText(delta.bdQuality, quality)}</td>
          <td />
          <td>{refused > 0 && `${refused} of ${byClip.length} clips not computed`}</td>
        </tr>
      )}
      {byClip.map((each, at) => (
        <tr key={each.clip}>
          {isOne && at === 0 && name}
          <td>
            <bdi>{each.clip}</bdi>
          </td>
          <td className="number">{bdRateText(each.bdRate)}</td>
          <td className="number">{bdScoreText(each.bdQuality, quality)}</td>
          <td className={`number ${each.lowOverlap ? "few" : ""}`}>
            {each.overlap === undefined ? "–" : overlapText(each.overlap)}
          </td>
          <td>{noteOf(each)}</td>
        </tr>
      ))}
    </tbody>
  );
}

function noteOf(delta: Delta["byClip"][number]): string {
  const { refusal, lowOverlap, dropped } = delta;
  if (refusal !== undefined) return `${refusal.message}.`;
  const notes = [
    lowOverlap ? lowOverlapText("the numbers do") : "",
    dropped > 0 ? `${dropped} ${dropped === 1 ? "point" : "points"} left out by the method.` : "",
    ...curveNotes(delta),
  ];
  return notes.filter((note) => note !== "").join(" ");
}
