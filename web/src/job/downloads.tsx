/** Downloads: the job with its frames as JSON, the frames as CSV, and a link to the current view. */
import { useMutation } from "@tanstack/react-query";
import { type Credentials, fetchRaw, type Job } from "../api/client.ts";
import { titleOf } from "../jobs/job-facts.ts";
import { useSession } from "../session/session.ts";
import { CopyLink } from "../ui/copy-button.tsx";
import { fileStemOf, save } from "../ui/save.tsx";

export function Downloads({ job }: { readonly job: Job }) {
  const { credentials } = useSession();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (format: "json" | "csv") => {
      const blob = await (format === "csv" ? csvOf(credentials, job.id) : jsonOf(credentials, job.id));
      save(blob, `${fileStemOf(titleOf(job), job.id)}.${format}`);
    },
  });
  return (
    <div className="buttons">
      {error !== null && <span role="alert">{error.message}</span>}
      <button type="button" disabled={isPending} onClick={() => mutate("json")}>
        Download JSON
      </button>
      <button type="button" disabled={isPending} onClick={() => mutate("csv")}>
        Download CSV
      </button>
      <CopyLink />
    </div>
  );
}

async function csvOf(credentials: Credentials, id: string): Promise<Blob> {
  return (await fetchRaw(credentials, `/v1/jobs/${id}/frames?format=csv`)).blob();
}

/** The job as the API returns it, with the member `frames` added. */
async function jsonOf(credentials: Credentials, id: string): Promise<Blob> {
  const [job, frames] = await Promise.all([
    fetchRaw(credentials, `/v1/jobs/${id}`).then((answer) => answer.text()),
    fetchRaw(credentials, `/v1/jobs/${id}/frames?format=json`).then((answer) => answer.blob()),
  ]);
  // Both are objects and frames has a single member, so the texts are joined without parsing a whole film.
  const head = job.trimEnd().replace(/\}$/, "");
  return new Blob([head, ",", frames.slice(1)], { type: "application/json" });
}
