/** The shots or segments of a video with their scores by the first model, the worst first or in the order of the video. */
import { useMemo, useState } from "react";
import { WORST_SPANS, worstSpans } from "../../../../src/jobs/scores/spans.ts";
import { spansCsv } from "../../../../src/report/csv/spans.ts";
import type { Schemas } from "../../api/client.ts";
import { TimeCode } from "../../chart/time-code.tsx";
import type { View } from "../../chart/view.ts";
import { countText } from "../../jobs/job-facts.ts";
import { DownloadCsv } from "../../ui/save.tsx";
import { ScrollArea } from "../../ui/scrolls.tsx";
import "../../style/stills.css";

type Span = Schemas["ScoredSpan"];

const WORDS = {
  shots: { one: "shot", caption: "Scores of each shot of the reference" },
  segments: { one: "segment", caption: "Scores of each segment of the stream" },
} as const;

interface SpansProps {
  readonly what: keyof typeof WORDS;
  readonly spans: readonly Span[];
  /** Name of downloads, without what they contain. */
  readonly file: string;
  /** Frames per second; undefined if unknown. */
  readonly rate: number | undefined;
  readonly onView: (view: View) => void;
  readonly onFrame: (frame: number) => void;
}

/** Rows that are added at a time. */
const MORE = 50;

export function Spans({ what, spans, file, rate, onView, onFrame }: SpansProps) {
  const [isInOrder, setIsInOrder] = useState(false);
  const [most, setMost] = useState(WORST_SPANS);
  const ranked = useMemo(() => (isInOrder ? spans : worstSpans(spans, spans.length)), [spans, isInOrder]);
  const listed = ranked.slice(0, most);
  return (
    <section className="spans" aria-labelledby={what}>
      <div className="section-head">
        <h3 id={what}>
          {countText(spans.length)} {what}
        </h3>
        <DownloadCsv of={what} name={`${file}-${what}`} lines={() => spansCsv(spans, rate)} />
        <select
          aria-label={`Order of the ${what}`}
          value={isInOrder ? "video" : "worst"}
          onChange={({ target }) => setIsInOrder(target.value === "video")}
        >
          <option value="worst">Worst mean first</option>
          <option value="video">In video order</option>
        </select>
      </div>
      <ScrollArea label={what === "shots" ? "Shots" : "Segments"}>
        <table>
          <caption className="unseen">{WORDS[what].caption}</caption>
          <thead>
            <tr>
              <th>Frames</th>
              {rate !== undefined && <th>From</th>}
              <th className="number">Length</th>
              <th className="number">Mean VMAF</th>
              <th className="number">Worst</th>
              <th className="number">At frame</th>
            </tr>
          </thead>
          <tbody>
            {listed.map((span) => (
              <Row key={span.firstFrame} {...{ what, span, rate, onView, onFrame }} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {most < ranked.length && (
        <button type="button" className="plain link" onClick={() => setMost(most + MORE)}>
          Show {Math.min(MORE, ranked.length - most)} more
        </button>
      )}
    </section>
  );
}

interface RowProps extends Pick<SpansProps, "what" | "rate" | "onView" | "onFrame"> {
  readonly span: Span;
}

function Row({ what, span, rate, onView, onFrame }: RowProps) {
  const { firstFrame, frameCount, mean, min, worstFrame } = span;
  const last = firstFrame + frameCount - 1;
  return (
    <tr>
      <td>
        <button
          type="button"
          className="plain link"
          title={`Show this ${WORDS[what].one} in the chart`}
          onClick={() => onView({ from: firstFrame, to: last })}
        >
          {firstFrame}–{last}
        </button>
      </td>
      {rate !== undefined && (
        <td>
          <TimeCode frame={firstFrame} rate={rate} />
        </td>
      )}
      <td className="number">
        {rate === undefined ? countText(frameCount) : `${(frameCount / rate).toFixed(2)} s`}
      </td>
      <td className="number">{mean.toFixed(2)}</td>
      <td className="number">{min.toFixed(2)}</td>
      <td className="number">
        <button
          type="button"
          className="plain link"
          title="Select this frame"
          onClick={() => onFrame(worstFrame)}
        >
          {worstFrame}
        </button>
      </td>
    </tr>
  );
}
