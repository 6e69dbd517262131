/** Why a job failed: code, message and facts. */
import type { Job } from "../api/client.ts";
import { remedyText } from "../jobs/submit/policies.ts";
import { MediaTable } from "./media.tsx";
import { failedSides } from "./media-info.ts";

export function Failure({ job }: { readonly job: Job }) {
  const { code, message, found = {} } = job.error ?? { code: "UNKNOWN", message: "No reason was reported." };
  const sides = failedSides(job);
  const remedy = remedyText(found["remedy"]);
  const shown = [...(sides === undefined ? [] : ["reference", "distorted"]), ...(remedy ? ["remedy"] : [])];
  const facts = Object.entries(found).filter(([name]) => !shown.includes(name));
  return (
    <section className="card job-failure" aria-label="Why it failed">
      <h2>The job failed</h2>
      <p className="message" role="alert">
        {message}
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
