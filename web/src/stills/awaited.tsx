/** What is said where there is no picture of a frame, or none yet. */
import type { StillFrame } from "./still-list.ts";
import type { Stills } from "./use-stills.ts";

interface AwaitedProps {
  readonly frame: number | undefined;
  readonly shown: StillFrame | undefined;
  readonly stills: Stills;
}

export function Awaited({ frame, shown, stills }: AwaitedProps) {
  if (shown?.state === "FAILED")
    return (
      <p role="alert">
        The picture of frame {shown.frame} could not be made: {shown.error?.message ?? "nobody knows why"}{" "}
        <button type="button" onClick={() => stills.request(shown.frame)}>
          Try again
        </button>
      </p>
    );
  if (frame !== undefined && shown === undefined && stills.requestError !== null)
    return (
      <p role="alert">
        The picture of frame {frame} was not asked for: {stills.requestError.message}
      </p>
    );
  if (shown === undefined && frame === undefined) return null;
  return (
    <p className="quiet" role="status">
      A node makes the picture of frame {shown?.frame ?? frame} …
    </p>
  );
}
