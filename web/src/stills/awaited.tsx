/** Shown in place of stills that are missing, in progress or failed. */
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
        The still of frame {shown.frame} could not be made: {shown.error?.message ?? "no reason reported"}{" "}
        <button type="button" onClick={() => stills.request(shown.frame)}>
          Try again
        </button>
      </p>
    );
  if (frame !== undefined && shown === undefined && stills.refused?.frame === frame)
    return (
      <p role="alert">
        The stills of frame {frame} could not be requested: {stills.refused.error.message}{" "}
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
      Making the stills of frame {shown?.frame ?? frame} …
    </p>
  );
}

/** Whether a retry may succeed: no response, or a server fault. A refusal is final. */
function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
