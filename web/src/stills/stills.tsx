/** The worst moments of a job, and any other frame that was asked for, as pictures of both sides. */
import { useCallback, useState, useSyncExternalStore } from "react";
import type { Job } from "../api/client.ts";
import type { FrameTable } from "../chart/frame-table.ts";
import { TimeCode } from "../chart/time-code.tsx";
import { Failed } from "../ui/states.tsx";
import { Awaited } from "./awaited.tsx";
import { worstFirst } from "./still-list.ts";
import { useLook } from "./use-look.ts";
import { useRequestOf, useStills } from "./use-stills.ts";
import { type Source, Viewer } from "./viewer.tsx";
import type { View } from "./viewport.ts";
import "../style/stills.css";

interface StillsProps {
  readonly job: Job;
  readonly table: FrameTable;
  /** The metric that tells how bad a frame is. */
  readonly metric: string | undefined;
  /** Frames per second; undefined: not known. */
  readonly rate: number | undefined;
  /** The frame that is looked at; undefined: none was chosen. */
  readonly frame: number | undefined;
  readonly onFrame: (frame: number) => void;
}

/** Of a job that has succeeded. */
export function StillsSection({ job, table, metric, rate, frame, onFrame }: StillsProps) {
  const stills = useStills(job);
  useRequestOf(frame, stills);
  useSyncExternalStore(
    useCallback((look) => table.watch(look), [table]),
    () => table.version,
  );
  const scoreAt = (at: number) => {
    const score = metric === undefined ? Number.NaN : table.value(metric, at);
    return Number.isNaN(score) ? undefined : score;
  };
  const moments = worstFirst(stills.frames ?? [], scoreAt);
  const shown = moments.find((one) => one.frame === (frame ?? moments[0]?.frame));
  const look = useLook();
  // Of pictures of another size another part would be seen.
  const [part, setPart] = useState<{ readonly size: string; readonly view: View | undefined }>();
  const size = `${shown?.size?.width} × ${shown?.size?.height}`;
  const asked = part?.size === size ? part.view : undefined;
  return (
    <section className="stills" aria-labelledby="stills">
      <h3 id="stills">Worst moments</h3>
      {stills.error !== null && <Failed error={stills.error} />}
      {stills.frames?.length === 0 && (
        <p className="quiet">No pictures were made of this job. Click a frame in the chart to ask for one.</p>
      )}
      <ol className="still-strip">
        {moments.map((one) => (
          <li key={one.frame}>
            <button type="button" aria-pressed={one === shown} onClick={() => onFrame(one.frame)}>
              <strong>{scoreAt(one.frame)?.toFixed(2) ?? "–"}</strong>
              <span>
                frame {one.frame}
                {rate !== undefined && (
                  <>
                    {" "}
                    <TimeCode frame={one.frame} rate={rate} />
                  </>
                )}
              </span>
              {one.state !== "READY" && (
                <span className="quiet">{one.state === "FAILED" ? "failed" : "being made …"}</span>
              )}
            </button>
          </li>
        ))}
      </ol>
      {shown?.size === undefined ? (
        <Awaited frame={frame} shown={shown} stills={stills} />
      ) : (
        <Viewer
          {...{ look, asked }}
          key={size}
          sources={sidesOf(job.id)}
          frame={shown.frame}
          size={shown.size}
          onView={(view) => setPart({ size, view })}
        />
      )}
    </section>
  );
}

function sidesOf(jobId: string): readonly [Source, Source] {
  return [
    { jobId, side: "reference", name: "Reference" },
    { jobId, side: "distorted", name: "Distorted" },
  ];
}
