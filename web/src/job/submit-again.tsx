/** A button that submits a spec as a new job and opens that. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { newKey, submitJobs } from "../jobs/job-calls.ts";
import type { JobSpec } from "../jobs/job-facts.ts";
import { useSession } from "../session/session.ts";

interface SubmitAgainProps {
  readonly spec: JobSpec;
  readonly isPrimary?: boolean;
  readonly children: ReactNode;
}

export function SubmitAgain({ spec, isPrimary = false, children }: SubmitAgainProps) {
  const { api } = useSession();
  const navigate = useNavigate();
  // The key changes only after a response, so that a job that was stored is not stored twice if the response
  // was lost.
  const [key, setKey] = useState(newKey);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => submitJobs(api, [spec], key),
    onSuccess: ([stored]) => {
      setKey(newKey());
      if (stored !== undefined) void navigate(`/jobs/${stored.id}`);
    },
  });
  return (
    <>
      {error !== null && <span role="alert">{error.message}</span>}
      <button
        type="button"
        className={isPrimary ? "primary" : undefined}
        disabled={isPending}
        onClick={() => mutate()}
      >
        {children}
      </button>
    </>
  );
}
