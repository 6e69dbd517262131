/** What is said where there is no picture of a frame, or none yet. */
import { ApiError } from "../api/problem.ts";
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
  if (frame !== undefined && shown === undefined && stills.refused?.frame === frame)
    return (
      <p role="alert">
        The pictures of frame {frame} cannot be made: {stills.refused.error.message}{" "}
        {mayPass(stills.refused.error) && (
          <button type="button" onClick={() => stills.request(frame)}>
            Try again
          </button>
        )}
      </p>
    );
  if (shown === undefined && frame === undefined) return null;
  return (
    <p className="quiet" role="status">
      A node makes the picture of frame {shown?.frame ?? frame} …
    </p>
  );
}

/** Whether it may go another time: nobody answered, or nobody could. What is refused stays refused. */
function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
