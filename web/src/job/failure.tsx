/** Why a job failed: the code, the words, and what was found. */
import type { Job } from "../api/client.ts";
import { MediaTable } from "./media.tsx";
import { isMedia } from "./media-info.ts";

export function Failure({ job }: { readonly job: Job }) {
  const { code, message, found = {} } = job.error ?? { code: "UNKNOWN", message: "No reason is told." };
  const { reference, distorted, ...rest } = found;
  const hasSides = isMedia(reference) && isMedia(distorted);
  const facts = Object.entries(hasSides ? rest : found);
  return (
    <section className="card job-failure" aria-label="Why it failed">
      <h2>The job failed</h2>
      <p className="message" role="alert">
        {message}
      </p>
      <p>
        <code>{code}</code>
      </p>
      {hasSides && <MediaTable reference={reference} distorted={distorted} />}
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
