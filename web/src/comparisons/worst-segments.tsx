/** The segments with the lowest scores among all HLS and DASH encodes of a comparison. */
import { Link } from "react-router";
import { segmentsOf, WORST_SPANS, worstSpans } from "../../../src/jobs/scores/spans.ts";
import { fileName } from "../../../src/jobs/text/file-name.ts";
import { tableCsv } from "../../../src/report/csv/comparison.ts";
import { countText } from "../jobs/job-facts.ts";
import { DownloadCsv } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import { type Comparison, fileOf } from "./comparison-view.ts";

export function WorstSegments({ comparison }: { readonly comparison: Comparison }) {
  const { cells = [] } = comparison;
  const all = segmentsOf(cells);
  if (all.length === 0) return null;
  const worst = worstSpans(all);
  return (
    <section className="card" aria-label="Worst segments">
      <div className="section-head">
        <h2>{all.length > WORST_SPANS ? `Worst of ${countText(all.length)} segments` : "Segments"}</h2>
        <DownloadCsv
          of="segments"
          name={fileOf(comparison, "segments")}
          lines={() => tableCsv("segments", comparison)}
        />
      </div>
      <ScrollArea label="Worst segments">
        <table>
          <caption className="unseen">The segments with the lowest means of the first model</caption>
          <thead>
            <tr>
              <th>Encode</th>
              <th className="number">Segment</th>
              <th>Frames</th>
              <th className="number">Mean VMAF</th>
              <th className="number">Worst</th>
              <th className="number">At frame</th>
            </tr>
          </thead>
          <tbody>
            {worst.map(({ cell, number, firstFrame, frameCount, mean, min, worstFrame }) => {
              const last = firstFrame + frameCount - 1;
              return (
                <tr key={`${cell.number} ${number}`}>
                  <td>
                    <Link to={`/jobs/${cell.jobId}?from=${firstFrame}&to=${last}&frame=${worstFrame}`}>
                      <bdi>{fileName(cell.distorted)}</bdi>
                    </Link>
                  </td>
                  <td className="number">{number}</td>
                  <td>
                    {firstFrame}–{last}
                  </td>
                  <td className="number">{mean.toFixed(2)}</td>
                  <td className="number">{min.toFixed(2)}</td>
                  <td className="number">{worstFrame}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}
