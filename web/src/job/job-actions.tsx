/** Cancel and re-run, for those who may. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Job } from "../api/client.ts";
import { CancelDialog } from "../jobs/cancel-dialog.tsx";
import { newKey, runAgain } from "../jobs/job-calls.ts";
import { hasEnded } from "../jobs/job-facts.ts";
import { mayAs, useSession } from "../session/session.ts";

export function JobActions({ job }: { readonly job: Job }) {
  const { caller } = useSession();
  if (!mayAs(caller, "svc:writer")) return null;
  return (
    <div className="job-actions">
      {hasEnded(job) ? <Rerun key={job.id} job={job} /> : <Cancel job={job} />}
    </div>
  );
}

function Cancel({ job }: { readonly job: Job }) {
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const look = () => void queries.invalidateQueries({ queryKey: ["job", job.id] });
  const done = () => {
    look();
    close();
  };
  return (
    <>
      <button type="button" className="danger" onClick={() => setIsAsking(true)}>
        Cancel
      </button>
      {isAsking && <CancelDialog jobs={[job]} told={look} close={close} done={done} />}
    </>
  );
}

/** The same again, as a job of its own. */
function Rerun({ job }: { readonly job: Job }) {
  const { api } = useSession();
  const navigate = useNavigate();
  // The same key as long as no answer came: what was stored nevertheless is not stored twice.
  const [key, setKey] = useState(newKey);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => runAgain(api, [job], key, () => {}),
    onSuccess: ([stored]) => {
      setKey(newKey());
      if (stored !== undefined) void navigate(`/jobs/${stored.id}`);
    },
  });
  return (
    <>
      {error !== null && <span role="alert">{error.message}</span>}
      <button type="button" disabled={isPending} onClick={() => mutate()}>
        Run again
      </button>
    </>
  );
}
