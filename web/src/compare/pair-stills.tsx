/** The selected frame of two encodes, as stills. */
import { useState } from "react";
import { Awaited } from "../stills/awaited.tsx";
import { useLook } from "../stills/use-look.ts";
import { useRequestOf, useStills } from "../stills/use-stills.ts";
import { type Source, Viewer } from "../stills/viewer.tsx";
import type { View } from "../stills/viewport.ts";
import type { Compared } from "./compared.ts";
import "../style/stills.css";

interface PairStillsProps {
  readonly compared: readonly Compared[];
  /** The two jobs whose difference is drawn; undefined if none. */
  readonly difference: readonly [Compared, Compared] | undefined;
  /** The selected frame; undefined if none. */
  readonly frame: number | undefined;
}

/** Uses the two jobs whose difference is drawn, or else the first two that have succeeded. */
export function PairStills({ compared, difference, frame }: PairStillsProps) {
  const pair = (difference ?? compared).filter(({ job }) => job.state === "SUCCEEDED");
  const [one, other] = pair;
  if (one === undefined || other === undefined) return null;
  if (frame === undefined)
    return (
      <p className="quiet">Click a frame to compare stills of two encodes (the ones in the difference).</p>
    );
  return <Pair one={one} other={other} frame={frame} />;
}

interface PairProps {
  readonly one: Compared;
  readonly other: Compared;
  readonly frame: number;
}

function Pair({ one, other, frame }: PairProps) {
  const both = [useStills(one.job), useStills(other.job)] as const;
  useRequestOf(frame, both[0]);
  useRequestOf(frame, both[1]);
  const look = useLook();
  const [asked, setAsked] = useState<View>();
  const found = both.map(({ frames }) => frames?.find((each) => each.frame === frame));
  const size = found.every((each) => each?.size !== undefined) ? found[0]?.size : undefined;
  const lacking = found.findIndex((each) => each?.size === undefined);
  return (
    <section className="stills" aria-label={`Frame ${frame} of two encodes`}>
      <h3>
        Frame {frame.toLocaleString("en-US")} of {one.number} and {other.number}
      </h3>
      {size === undefined ? (
        <Awaited frame={frame} shown={found[lacking]} stills={both[lacking === 1 ? 1 : 0]} />
      ) : (
        <Viewer
          {...{ look, asked, frame, size }}
          key={`${size.width} × ${size.height}`}
          sources={[sourceOf(one), sourceOf(other)]}
          onView={setAsked}
        />
      )}
    </section>
  );
}

function sourceOf({ id, number, title }: Compared): Source {
  return { jobId: id, side: "distorted", name: `${number}: ${title}` };
}
