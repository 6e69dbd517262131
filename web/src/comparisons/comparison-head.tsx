/** Name, progress and actions of a comparison. */
import { hasRole, useSession } from "../session/session.ts";
import { Age } from "../ui/age.tsx";
import { CopyLink } from "../ui/copy-button.tsx";
import { Actions } from "./actions.tsx";
import { type Comparison, hasEnded, progressText, titleOf } from "./comparison-view.ts";
import { Downloads } from "./downloads.tsx";

interface ComparisonHeadProps {
  readonly comparison: Comparison;
  /** Why the page may be out of date; undefined if it is current. */
  readonly stale: string | undefined;
}

export function ComparisonHead({ comparison, stale }: ComparisonHeadProps) {
  const { caller } = useSession();
  const { progress } = comparison;
  const isRunning = !hasEnded(comparison);
  const share = progress.framesTotal === 0 ? undefined : progress.framesDone / progress.framesTotal;
  return (
    <header className="card comparison-head">
      <div className="comparison-title">
        <h1>
          <bdi>{titleOf(comparison)}</bdi>
        </h1>
        {hasRole(caller, "svc:writer") && <Actions comparison={comparison} />}
        <Downloads comparison={comparison} />
        <CopyLink />
      </div>
      <p>
        {isRunning && (
          <progress max="1" aria-label="Progress" {...(share !== undefined && { value: share })} />
        )}{" "}
        {progressText(comparison)}
        <span className="quiet">
          {" "}
          · submitted <Age time={comparison.createTime} /> ago by{" "}
          <bdi>{comparison.submittedBy || "anonymous"}</bdi>
        </span>
      </p>
      {stale !== undefined && (
        <p className="connection-banner" role="alert">
          Data may be out of date: {stale}
        </p>
      )}
    </header>
  );
}
