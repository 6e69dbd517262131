/** When a frame is shown, as editing systems write it. */
import { timecode } from "./timecode.ts";

/** What there is to know of the numbers, where they are pointed at. */
export const TIME_CODE =
  "Hours, minutes, seconds and frames. Non-drop: every frame is counted, none is left out.";

export function TimeCode({ frame, rate }: { readonly frame: number; readonly rate: number }) {
  return (
    <span className="mono quiet" title={TIME_CODE}>
      {timecode(frame, rate)}
    </span>
  );
}
