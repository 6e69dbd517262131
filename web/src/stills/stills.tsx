/** The worst moments of a job and its pinned frames, as stills of both sides. */
import { useCallback, useMemo, useState, useSyncExternalStore } from "react";
import type { Job } from "../api/client.ts";
import type { FrameTable } from "../chart/data/frame-table.ts";
import { ClipView } from "../clips/clip-view.tsx";
import { useClips } from "../clips/use-clips.ts";
import { Failed } from "../ui/states.tsx";
import { Awaited } from "./awaited.tsx";
import { Pinned } from "./pinned.tsx";
import { momentsOf } from "./still-list.ts";
import { Strip } from "./strip.tsx";
import { useLook } from "./use-look.ts";
import { useRequestOf, useStills } from "./use-stills.ts";
import { type Source, Viewer } from "./viewer.tsx";
import type { View } from "./viewport.ts";
import { worstFrames } from "./worst-moments.ts";
import "../style/stills.css";

interface StillsProps {
  readonly job: Job;
  readonly table: FrameTable;
  /** Whether scores are still being loaded into the table. */
  readonly isLoading: boolean;
  /** The metric that ranks the moments. */
  readonly metric: string | undefined;
  /** Frames per second; undefined if unknown. */
  readonly rate: number | undefined;
  /** The selected frame; undefined if none. */
  readonly frame: number | undefined;
  /** Called with undefined to clear the selection. */
  readonly onFrame: (frame: number | undefined) => void;
}

/** For a job that has succeeded. */
export function StillsSection({ job, table, isLoading, metric, rate, frame, onFrame }: StillsProps) {
  const stills = useStills(job);
  const clips = useClips(job);
  useRequestOf(frame, stills);
  const version = useSyncExternalStore(
    useCallback((look) => table.watch(look), [table]),
    () => table.version,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has other scores
  const worst = useMemo(
    () => (isLoading || metric === undefined ? undefined : worstFrames(table, metric, rate)),
    [table, version, isLoading, metric, rate],
  );
  const scoreAt = (at: number) => {
    const score = metric === undefined ? Number.NaN : table.value(metric, at);
    return Number.isNaN(score) ? undefined : score;
  };
  const { worst: moments, pinned } = momentsOf(stills.frames ?? [], stills.frames && worst);
  const all = [...moments, ...pinned];
  const first = all.find(({ still }) => still !== undefined);
  const shown = frame === undefined ? first : all.find((one) => one.frame === frame);
  const picture = shown?.still?.size;
  const look = useLook();
  // The visible part is kept only among images of the same size.
  const [part, setPart] = useState<{ readonly size: string; readonly view: View | undefined }>();
  const size = `${picture?.width} × ${picture?.height}`;
  const asked = part?.size === size ? part.view : undefined;
  return (
    <section className="stills" aria-labelledby="stills">
      <h3 id="stills">{job.estimate === undefined ? "Worst moments" : "Lowest scores of the sample"}</h3>
      {stills.error !== null && <Failed error={stills.error} />}
      <Strip {...{ moments, shown, scoreAt, rate, onFrame }} />
      {pinned.length > 0 && (
        <Pinned {...{ moments: pinned, shown, scoreAt, rate, stills, clips, frame, onFrame }} />
      )}
      {stills.frames !== undefined && frame === undefined && first === undefined && (
        <NoPictures hasMoments={moments.length > 0} />
      )}
      {shown === undefined || picture === undefined ? (
        <Awaited frame={frame} shown={shown?.still} stills={stills} />
      ) : look.mode === "video" ? (
        <ClipView {...{ job, clips, rate, look }} frame={shown.frame} />
      ) : (
        <Viewer
          {...{ look, asked }}
          key={size}
          sources={sidesOf(job.id)}
          frame={shown.frame}
          size={picture}
          hasVideo
          onView={(view) => setPart({ size, view })}
        />
      )}
    </section>
  );
}

/** Shown if the controller makes no stills automatically. */
function NoPictures({ hasMoments }: { readonly hasMoments: boolean }) {
  return (
    <div className="still-none">
      <p>
        <strong>No stills were made automatically.</strong>
      </p>
      <p className="quiet">
        Select {hasMoments && "a moment or "}a frame in the chart, and a node makes stills of both sides.
      </p>
    </div>
  );
}

function sidesOf(jobId: string): readonly [Source, Source] {
  return [
    { jobId, side: "reference", name: "Reference" },
    { jobId, side: "distorted", name: "Distorted" },
  ];
}
