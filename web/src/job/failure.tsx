/** Why a job failed: code, message and facts. */
import type { Job } from "../api/client.ts";
import { remedyText } from "../jobs/submit/policies.ts";
import { findingsOf } from "./findings/repair.ts";
import { MediaTable } from "./media.tsx";
import { failedSides } from "./media-info.ts";

/** Shown instead of the message, which repeats the first finding and names options of the API. */
const MISMATCH =
  "The two videos do not match, so their score would be wrong. The findings say how they differ.";

export function Failure({ job }: { readonly job: Job }) {
  const { code, message, found = {} } = job.error ?? { code: "UNKNOWN", message: "No reason was reported." };
  const sides = failedSides(job);
  const isMismatch = findingsOf(job).length > 0;
  const remedy = isMismatch ? undefined : remedyText(found["remedy"]);
  const shown = [
    ...(sides === undefined ? [] : ["reference", "distorted"]),
    ...(remedy ? ["remedy"] : []),
    ...(isMismatch ? ["findings", "fix", "remedy"] : []),
  ];
  const facts = Object.entries(found).filter(([name]) => !shown.includes(name));
  return (
    <section className="card job-failure" aria-label="Why it failed">
      <h2>The job failed</h2>
      <p className="message" role="alert">
        {isMismatch ? MISMATCH : message}
      </p>
      {remedy !== undefined && (
        <p>
          <bdi>{remedy}</bdi>
        </p>
      )}
      <p>
        <code>{code}</code>
      </p>
      {sides !== undefined && <MediaTable {...sides} />}
      {facts.length > 0 && (
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
