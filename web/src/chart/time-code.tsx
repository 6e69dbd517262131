/** The time code of a frame. */
import { timecode } from "./data/timecode.ts";

/** Tooltip of time codes. */
export const TIME_CODE = "Hours, minutes, seconds and frames, non-drop: no frame number is skipped.";

export function TimeCode({ frame, rate }: { readonly frame: number; readonly rate: number }) {
  return (
    <span className="mono quiet" title={TIME_CODE}>
      {timecode(frame, rate)}
    </span>
  );
}
