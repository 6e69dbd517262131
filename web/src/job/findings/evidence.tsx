/** Stills of both sides at the frame where a finding begins. */
import { useState } from "react";
import type { Job } from "../../jobs/job-facts.ts";
import { Awaited } from "../../stills/awaited.tsx";
import { useLook } from "../../stills/use-look.ts";
import { useRequestOf, useStills } from "../../stills/use-stills.ts";
import { Viewer } from "../../stills/viewer.tsx";
import type { View } from "../../stills/viewport.ts";
import { Failed } from "../../ui/states.tsx";
import { SIDE_NAMES } from "./finding-texts.ts";
import { SIDES } from "./read-findings.ts";
import "../../style/stills.css";

interface EvidenceProps {
  readonly job: Job;
  /** Number of the frame among the compared ones. */
  readonly frame: number;
}

/** The stills of a job that has succeeded. */
export function Evidence({ job, frame }: EvidenceProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <button type="button" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
        {isShown ? "Hide frames" : "Show frames"}
      </button>
      {isShown && <BothSides job={job} frame={frame} />}
    </>
  );
}

function BothSides({ job, frame }: EvidenceProps) {
  const stills = useStills(job);
  useRequestOf(frame, stills);
  const look = useLook();
  const [asked, onView] = useState<View>();
  const shown = stills.frames?.find((each) => each.frame === frame);
  if (stills.error !== null) return <Failed error={stills.error} />;
  if (shown?.size === undefined) return <Awaited frame={frame} shown={shown} stills={stills} />;
  const [one, other] = SIDES.map((side) => ({ jobId: job.id, side, name: SIDE_NAMES[side] }));
  if (one === undefined || other === undefined) return null;
  return <Viewer {...{ look, asked, onView, frame }} size={shown.size} sources={[one, other]} />;
}
