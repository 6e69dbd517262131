/** A job as the API returns it. */
import type { Job } from "../../../web/src/jobs/job-facts.ts";

export function job(id: string, parts: Partial<Job> = {}): Job {
  return {
    id,
    revision: 1,
    tenantId: "dev",
    spec: { reference: "/r.y4m", distorted: "/d.y4m" },
    state: "QUEUED",
    segmentsTotal: 0,
    segmentsDone: 0,
    retries: 0,
    createTime: "2026-01-01T00:00:00Z",
    submittedBy: "",
    ...parts,
  };
}
