/** Name, progress and actions of a comparison. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { mayAs, useSession } from "../session/session.ts";
import { Age } from "../ui/age.tsx";
import { CopyLink } from "../ui/copy-link.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { type Comparison, hasEnded, progressText, titleOf, unscored } from "./comparison-view.ts";
import { Downloads } from "./downloads.tsx";

interface ComparisonHeadProps {
  readonly comparison: Comparison;
  /** Why the page may be out of date; undefined: it is not. */
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
        {mayAs(caller, "svc:writer") && <Actions comparison={comparison} />}
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

function Actions({ comparison }: { readonly comparison: Comparison }) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const path = { id: comparison.id };
  const onSuccess = async () => {
    setIsAsking(false);
    await queries.invalidateQueries({ queryKey: ["comparison", comparison.id] });
  };
  const retry = useMutation({
    mutationFn: () => bodyOf(api.POST("/v1/comparisons/{id}:retry", { params: { path }, body: {} })),
    onSuccess,
  });
  const cancel = useMutation({
    mutationFn: () => bodyOf(api.POST("/v1/comparisons/{id}:cancel", { params: { path } })),
    onSuccess,
  });
  const count = unscored(comparison);
  return (
    <>
      {count > 0 && (
        <button type="button" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Run {count} {count === 1 ? "encode" : "encodes"} again
        </button>
      )}
      {!hasEnded(comparison) && (
        <button type="button" onClick={() => setIsAsking(true)}>
          Cancel
        </button>
      )}
      {retry.isError && (
        <p role="alert" className="failed">
          {retry.error.message}
        </p>
      )}
      {isAsking && (
        <Dialog title="Cancel this comparison?" close={() => setIsAsking(false)}>
          <p>Encodes that are not scored yet are cancelled. Scores that are there stay.</p>
          {cancel.isError && (
            <p role="alert" className="failed">
              {cancel.error.message}
            </p>
          )}
          <p className="actions">
            <button type="button" onClick={() => setIsAsking(false)}>
              Keep running
            </button>
            <button
              type="button"
              className="primary"
              disabled={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              Cancel the comparison
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}
