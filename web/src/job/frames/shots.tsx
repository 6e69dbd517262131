/** The shots of the reference with their scores by the first model, the worst first or in the order of the video. */
import { useMemo, useState } from "react";
import { WORST_SPANS, worstSpans } from "../../../../src/jobs/scores/spans.ts";
import type { Schemas } from "../../api/client.ts";
import { TimeCode } from "../../chart/time-code.tsx";
import type { View } from "../../chart/view.ts";
import { countText } from "../../jobs/job-facts.ts";
import { ScrollArea } from "../../ui/scrolls.tsx";
import "../../style/stills.css";

type Shot = Schemas["ScoredSpan"];

interface ShotsProps {
  readonly shots: readonly Shot[];
  /** Frames per second; undefined if unknown. */
  readonly rate: number | undefined;
  readonly onView: (view: View) => void;
  readonly onFrame: (frame: number) => void;
}

/** Rows that are added at a time. */
const MORE = 50;

export function Shots({ shots, rate, onView, onFrame }: ShotsProps) {
  const [isInOrder, setIsInOrder] = useState(false);
  const [most, setMost] = useState(WORST_SPANS);
  const ranked = useMemo(() => (isInOrder ? shots : worstSpans(shots, shots.length)), [shots, isInOrder]);
  const listed = ranked.slice(0, most);
  return (
    <section className="shots" aria-labelledby="shots">
      <div className="section-head">
        <h3 id="shots">{countText(shots.length)} shots</h3>
        <select
          aria-label="Order of the shots"
          value={isInOrder ? "video" : "worst"}
          onChange={({ target }) => setIsInOrder(target.value === "video")}
        >
          <option value="worst">Worst mean first</option>
          <option value="video">In video order</option>
        </select>
      </div>
      <ScrollArea label="Shots">
        <table>
          <caption className="hidden">Scores of each shot of the reference</caption>
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
            {listed.map((shot) => (
              <Row key={shot.firstFrame} {...{ shot, rate, onView, onFrame }} />
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

interface RowProps extends Pick<ShotsProps, "rate" | "onView" | "onFrame"> {
  readonly shot: Shot;
}

function Row({ shot, rate, onView, onFrame }: RowProps) {
  const { firstFrame, frameCount, mean, min, worstFrame } = shot;
  const last = firstFrame + frameCount - 1;
  return (
    <tr>
      <td>
        <button
          type="button"
          className="plain link"
          title="Show this shot in the chart"
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
