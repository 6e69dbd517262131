/** Details of the frame under the pointer. */
import { formatDuration } from "../ui/moments.ts";
import { type Segment, segmentAt } from "./data/segments.ts";
import { TimeCode } from "./time-code.tsx";

interface ReadoutProps {
  /** undefined if the pointer is elsewhere. */
  readonly frame: number | undefined;
  readonly rate: number | undefined;
  readonly segments: readonly Segment[];
}

const WORDS: Readonly<Record<Segment["progress"], string>> = {
  done: "scored",
  running: "being scored",
  waiting: "waiting",
  failed: "not scored",
};

export function Readout({ frame, rate, segments }: ReadoutProps) {
  if (frame === undefined) return <p className="readout quiet">Point at the chart to see a frame.</p>;
  const segment = segmentAt(segments, frame);
  return (
    <p className="readout" aria-live="polite">
      <span>
        Frame <strong>{frame.toLocaleString("en-US")}</strong>
      </span>
      {rate !== undefined && (
        <span>
          <TimeCode frame={frame} rate={rate} />{" "}
          <span className="quiet">({(frame / rate).toFixed(2)} s)</span>
        </span>
      )}
      {segment !== undefined && <SegmentNote segment={segment} />}
    </p>
  );
}

function SegmentNote({ segment }: { readonly segment: Segment }) {
  const { first, last, progress, node, elapsedMs } = segment;
  return (
    <span className="quiet">
      segment {first}–{last}: {WORDS[progress]}
      {node !== "" && (
        <>
          {" "}
          on <bdi>{node}</bdi>
        </>
      )}
      {elapsedMs !== undefined && `, ${formatDuration(elapsedMs / 1000)}`}
    </span>
  );
}
