/** Pinned frames: frames that users selected. Their stills stay with the job, for everyone, until unpinned. */
import type { ComponentProps } from "react";
import type { Clips } from "../clips/use-clips.ts";
import { hasRole, useSession } from "../session/session.ts";
import { Strip } from "./strip.tsx";
import type { Stills } from "./use-stills.ts";

interface PinnedProps extends Omit<ComponentProps<typeof Strip>, "onFrame" | "onRemove"> {
  readonly stills: Stills;
  readonly clips: Clips;
  /** The selected frame; undefined if none. */
  readonly frame: number | undefined;
  readonly onFrame: (frame: number | undefined) => void;
}

export function Pinned({ stills, clips, frame, onFrame, ...strip }: PinnedProps) {
  const { caller } = useSession();
  const unpin = (removed: number) => {
    // A selected frame's stills are requested, which would pin it again.
    if (removed === frame) onFrame(undefined);
    stills.remove(removed);
    clips.remove(removed);
  };
  return (
    <>
      <h3>Pinned frames</h3>
      {stills.removeError !== null && (
        <p className="failed" role="alert">
          {stills.removeError.message}
        </p>
      )}
      <Strip {...strip} onFrame={onFrame} onRemove={hasRole(caller, "svc:writer") ? unpin : undefined} />
    </>
  );
}
