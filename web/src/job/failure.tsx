/** Why a job failed: the code, the words, and what was found. */
import type { Job } from "../api/client.ts";
import { MediaTable } from "./media.tsx";
import { failedSides } from "./media-info.ts";

export function Failure({ job }: { readonly job: Job }) {
  const { code, message, found = {} } = job.error ?? { code: "UNKNOWN", message: "No reason is told." };
  const sides = failedSides(job);
  const { reference: _, distorted: __, ...rest } = found;
  const facts = Object.entries(sides === undefined ? found : rest);
  return (
    <section className="card job-failure" aria-label="Why it failed">
      <h2>The job failed</h2>
      <p className="message" role="alert">
        {message}
      </p>
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
