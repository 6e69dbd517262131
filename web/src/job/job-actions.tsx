/** Cancel, resubmit and delete, for callers with the role. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Job } from "../api/client.ts";
import { ChangeDialog } from "../jobs/change-dialog.tsx";
import { finishJob } from "../jobs/job-calls.ts";
import { hasEnded } from "../jobs/job-facts.ts";
import { type FirstDraft, SubmitDialog } from "../jobs/submit/dialog.tsx";
import { draftOf } from "../jobs/submit/draft.ts";
import { faultOfRefusal } from "../jobs/submit/draft-faults.ts";
import { hasRole, useSession } from "../session/session.ts";
import { repairOf } from "./findings/repair.ts";
import { SubmitAgain } from "./submit-again.tsx";

export function JobActions({ job }: { readonly job: Job }) {
  const { caller } = useSession();
  if (!hasRole(caller, "svc:writer")) return null;
  return (
    <div className="job-actions">
      {hasEnded(job) ? (
        <>
          {job.state === "SUCCEEDED" && job.estimate !== undefined && <Finish job={job} />}
          <Edit job={job} />
          <SubmitAgain key={job.id} spec={job.spec}>
            Resubmit
          </SubmitAgain>
          {hasRole(caller, "svc:admin") && <Delete job={job} />}
        </>
      ) : (
        <Cancel job={job} />
      )}
    </div>
  );
}

function Cancel({ job }: { readonly job: Job }) {
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const done = () => {
    void queries.invalidateQueries({ queryKey: ["job", job.id] });
    close();
  };
  return (
    <>
      <button type="button" className="danger" onClick={() => setIsAsking(true)}>
        Cancel
      </button>
      {isAsking && <ChangeDialog change="cancel" jobs={[job]} close={close} done={done} />}
    </>
  );
}

function Delete({ job }: { readonly job: Job }) {
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  return (
    <>
      <button type="button" onClick={() => setIsAsking(true)}>
        Delete
      </button>
      {isAsking && (
        <ChangeDialog change="delete" jobs={[job]} close={close} done={() => void navigate("/jobs")} />
      )}
    </>
  );
}

/** A button that scores the rest of an estimated job, as another job. */
function Finish({ job }: { readonly job: Job }) {
  const { api } = useSession();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => finishJob(api, job),
    onSuccess: ({ id }) => void navigate(`/jobs/${id}`),
  });
  return (
    <>
      {error !== null && <span role="alert">{error.message}</span>}
      <button type="button" className="primary" disabled={isPending} onClick={() => mutate()}>
        Score all frames
      </button>
    </>
  );
}

/** A button that resubmits with corrections, such as another path, as a new job. */
function Edit({ job }: { readonly job: Job }) {
  const navigate = useNavigate();
  const [first, setFirst] = useState<FirstDraft>();
  const done = ([stored, ...others]: readonly Job[]) =>
    void navigate(stored === undefined || others.length > 0 ? "/jobs" : `/jobs/${stored.id}`);
  return (
    <>
      <button
        type="button"
        className={job.state === "FAILED" && repairOf(job) === undefined ? "primary" : undefined}
        onClick={() => setFirst(firstOf(job))}
      >
        Edit and resubmit
      </button>
      {first !== undefined && (
        <SubmitDialog title="Edit and resubmit" first={first} close={() => setFirst(undefined)} done={done} />
      )}
    </>
  );
}

/** The draft, with the job's error at the field that caused it. */
function firstOf({ spec, error }: Job): FirstDraft {
  const draft = draftOf(spec);
  return { draft, faults: (error && faultOfRefusal(error, draft)) ?? {} };
}
