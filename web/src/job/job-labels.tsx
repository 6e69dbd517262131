/** The labels of a job. Each links to the list filtered by it; writers can edit them. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { type Job, labelsOf } from "../jobs/job-facts.ts";
import { hasRole, useSession } from "../session/session.ts";
import { LabelDialog } from "./label-dialog.tsx";

export function JobLabels({ job }: { readonly job: Job }) {
  const { caller } = useSession();
  const labels = labelsOf(job.spec);
  const mayEdit = hasRole(caller, "svc:writer");
  return (
    <span className="job-page-labels">
      {labels.length === 0 && !mayEdit && <span className="quiet">none</span>}
      {labels.map(([key, value]) => (
        <Link
          key={key}
          className="label-chip"
          to={`/jobs?${new URLSearchParams({ label: `${key}=${value}` })}`}
        >
          <bdi>
            {key}={value}
          </bdi>
        </Link>
      ))}
      {mayEdit && <Edit job={job} />}
    </span>
  );
}

function Edit({ job }: { readonly job: Job }) {
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const done = () => {
    void queries.invalidateQueries({ queryKey: ["job", job.id] });
    close();
  };
  const name = labelsOf(job.spec).length > 0 ? "Edit labels" : "Add labels";
  return (
    <>
      <button type="button" className="small" onClick={() => setIsOpen(true)}>
        {name}
      </button>
      {isOpen && <LabelDialog job={job} close={close} done={done} />}
    </>
  );
}
