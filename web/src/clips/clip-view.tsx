/** The clip of a moment: its player, or the reason why there is none yet. */

import type { Job } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import { ModeChoice } from "../stills/tools.tsx";
import type { Look } from "../stills/use-look.ts";
import { Failed } from "../ui/states.tsx";
import { Player } from "./player.tsx";
import { useClipVideo } from "./use-clip-video.ts";
import { type Clip, type Clips, useClipOf } from "./use-clips.ts";
import "../style/clips.css";

interface ClipViewProps {
  readonly job: Job;
  readonly clips: Clips;
  readonly frame: number;
  /** Frames per second, for time codes; undefined if unknown. */
  readonly rate: number | undefined;
  readonly look: Look;
}

export function ClipView({ job, clips, frame, rate, look: { mode, onMode } }: ClipViewProps) {
  const clip = useClipOf(frame, clips);
  return (
    <div className="still-viewer">
      <div className="still-tools">
        <ModeChoice mode={mode} onMode={onMode} />
      </div>
      {clips.error !== null && <Failed error={clips.error} />}
      {clip?.state === "READY" ? (
        <Loaded key={frame} jobId={job.id} clip={clip} rate={rate} />
      ) : (
        <Pending frame={frame} clip={clip} clips={clips} />
      )}
    </div>
  );
}

interface LoadedProps {
  readonly jobId: string;
  readonly clip: Clip;
  readonly rate: number | undefined;
}

function Loaded({ jobId, clip, rate }: LoadedProps) {
  const { url, error, retry } = useClipVideo(jobId, clip.frame);
  if (error !== null) return <Failed error={error} retry={retry} />;
  if (url === undefined)
    return (
      <p className="quiet" role="status">
        Loading the video of frame {clip.frame} …
      </p>
    );
  return <Player clip={clip} url={url} rate={rate} name={`${jobId}-${clip.frame}.mp4`} />;
}

interface PendingProps {
  readonly frame: number;
  readonly clip: Clip | undefined;
  readonly clips: Clips;
}

function Pending({ frame, clip, clips: { request, refused } }: PendingProps) {
  const retryButton = (
    <button type="button" onClick={() => request(frame)}>
      Try again
    </button>
  );
  if (clip?.state === "FAILED")
    return (
      <p role="alert">
        The video of frame {frame} could not be made: {clip.error?.message ?? "no reason reported"}{" "}
        {retryButton}
      </p>
    );
  if (clip === undefined && refused?.frame === frame)
    return (
      <p role="alert">
        The video of frame {frame} could not be requested: {refused.error.message}{" "}
        {mayPass(refused.error) && retryButton}
      </p>
    );
  return (
    <p className="quiet" role="status">
      Making the video of frame {frame} …
    </p>
  );
}

/** Whether a retry may succeed. If the job has too many clips, it does after somebody deletes one. */
function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 409;
}
