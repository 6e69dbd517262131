/** Frames to look at, in a row. */
import { TimeCode } from "../chart/time-code.tsx";
import type { Moment } from "./still-list.ts";

interface StripProps {
  readonly moments: readonly Moment[];
  readonly shown: Moment | undefined;
  readonly scoreAt: (frame: number) => number | undefined;
  /** Frames per second; undefined: not known. */
  readonly rate: number | undefined;
  readonly onFrame: (frame: number) => void;
  /** undefined: they cannot be removed, or not by the caller. */
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
              title="Unpin this frame, and delete its pictures"
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

/** Where there are no pictures: whether there will be. */
function Remark({ moment: { still }, isShown }: { readonly moment: Moment; readonly isShown: boolean }) {
  if (still === undefined)
    return isShown ? (
      <span className="quiet">no pictures yet</span>
    ) : (
      <span className="offer">make pictures</span>
    );
  if (still.state === "READY") return null;
  return <span className="quiet">{still.state === "FAILED" ? "failed" : "being made …"}</span>;
}
