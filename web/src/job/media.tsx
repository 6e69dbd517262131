/** Properties of both files side by side, with warnings, scaling and scorer. */
import { resolutionText } from "../../../src/jobs/quantities.ts";
import { scorerText } from "../../../src/jobs/scored-apart.ts";
import type { Job } from "../api/client.ts";
import { ScrollArea } from "../ui/scrolls.tsx";
import { findingsOf } from "./findings/repair.ts";
import { failedSides, foundSides, type Sides } from "./media-info.ts";
import { propertiesOf } from "./media-properties.ts";

/**
 * Shown once the job is planned. If the pair could not be compared, the failure shows the table instead.
 * Warnings about findings are left out, because the findings themselves are shown.
 */
export function Media({ job }: { readonly job: Job }) {
  const sides = foundSides(job);
  if (sides === undefined || failedSides(job) !== undefined) return null;
  const compared = job.result ?? job.plan;
  const findings = findingsOf(job);
  const warnings = (compared?.warnings ?? []).filter(
    ({ code, message }) => !findings.some((shown) => shown.code === code && shown.evidence === message),
  );
  return (
    <section className="card" aria-label="Source files">
      <h2>Source files</h2>
      {warnings.length > 0 && (
        <ul className="warnings">
          {warnings.map(({ code, message }) => (
            <li key={`${code} ${message}`}>
              <code>{code}</code> <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      <MediaTable reference={sides.reference} distorted={sides.distorted} />
      {compared !== undefined && (
        <p className="quiet">
          {scalingText(compared)}
          {job.result !== undefined && ` Scored by ${scorerText(job.result.scorer)}.`}
        </p>
      )}
    </section>
  );
}

function scalingText({ scaling }: Pick<NonNullable<Job["plan"]>, "scaling">): string {
  if (scaling === undefined) return "The distorted video is not scaled.";
  const { fromWidth, fromHeight, toWidth, toHeight, algorithm } = scaling;
  return `The distorted video is scaled from ${resolutionText(fromWidth, fromHeight)} to ${resolutionText(toWidth, toHeight)} (${algorithm}).`;
}

export function MediaTable({ reference, distorted }: Sides) {
  return (
    <ScrollArea label="Properties of both files">
      <table className="media">
        <caption className="unseen">
          Properties of both files; differences that affect the score are marked
        </caption>
        <thead>
          <tr>
            <th>Property</th>
            <th>Reference</th>
            <th>Distorted</th>
          </tr>
        </thead>
        <tbody>
          {propertiesOf({ reference, distorted }).map((property) => (
            <tr key={property.name} className={property.matters ? "differs" : ""}>
              <th scope="row">{property.name}</th>
              <td>
                <bdi>{property.reference}</bdi>
              </td>
              <td>
                <bdi>{property.distorted}</bdi>
                {property.matters && <span className="unseen"> (differs)</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
