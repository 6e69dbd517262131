/** Frames that people picked: their pictures stay with the job for everybody, until somebody unpins them. */
import type { ComponentProps } from "react";
import { mayAs, useSession } from "../session/session.ts";
import { Strip } from "./strip.tsx";
import type { Stills } from "./use-stills.ts";

interface PinnedProps extends Omit<ComponentProps<typeof Strip>, "onFrame" | "onRemove"> {
  readonly stills: Stills;
  /** The frame that is looked at; undefined: none was chosen. */
  readonly frame: number | undefined;
  readonly onFrame: (frame: number | undefined) => void;
}

export function Pinned({ stills, frame, onFrame, ...strip }: PinnedProps) {
  const { caller } = useSession();
  const unpin = (removed: number) => {
    // What is looked at is asked for: it would be pinned again.
    if (removed === frame) onFrame(undefined);
    stills.remove(removed);
  };
  return (
    <>
      <h3>Pinned frames</h3>
      {stills.removeError !== null && (
        <p className="failed" role="alert">
          {stills.removeError.message}
        </p>
      )}
      <Strip {...strip} onFrame={onFrame} onRemove={mayAs(caller, "svc:writer") ? unpin : undefined} />
    </>
  );
}
