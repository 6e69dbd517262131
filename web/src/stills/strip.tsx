/** A row of frames to select. */
import { TimeCode } from "../chart/time-code.tsx";
import type { Moment } from "./still-list.ts";

interface StripProps {
  readonly moments: readonly Moment[];
  readonly shown: Moment | undefined;
  readonly scoreAt: (frame: number) => number | undefined;
  /** Frames per second; undefined if unknown. */
  readonly rate: number | undefined;
  readonly onFrame: (frame: number) => void;
  /** undefined if frames cannot be removed, or not by this caller. */
  readonly onRemove?: ((frame: number) => void) | undefined;
}

export function Strip({ moments, shown, scoreAt, rate, onFrame, onRemove }: StripProps) {
  return (
    <ol className="still-strip">
      {moments.map((one) => (
        <li key={one.frame} className={onRemove === undefined ? undefined : "removable"}>
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
            <Remark moment={one} isShown={one === shown} />
          </button>
          {onRemove !== undefined && (
            <button
              type="button"
              className="plain remove"
              aria-label={`Unpin frame ${one.frame}`}
              title="Unpin this frame and delete its stills"
              onClick={() => onRemove(one.frame)}
            >
              ×
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The state of missing stills. */
function Remark({ moment: { still }, isShown }: { readonly moment: Moment; readonly isShown: boolean }) {
  if (still === undefined)
    return isShown ? (
      <span className="quiet">no stills yet</span>
    ) : (
      <span className="offer">make stills</span>
    );
  if (still.state === "READY") return null;
  return <span className="quiet">{still.state === "FAILED" ? "failed" : "in progress …"}</span>;
}
