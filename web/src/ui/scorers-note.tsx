/** A note that the scores of a list come from different versions of libvmaf. */
import { LIBVMAF_NOTE, type ScorerCount } from "../../../src/jobs/scored-apart.ts";
import { countText } from "../jobs/job-facts.ts";

/** Without scorers there is no note; see scorersOf. */
export function ScorersNote({ scorers }: { readonly scorers: readonly ScorerCount[] }) {
  if (scorers.length === 0) return null;
  return (
    <div className="scored-apart" role="note">
      <strong>Scored by different scorers:</strong>
      <ul>
        {scorers.map(({ text, count }) => (
          <li key={text}>
            <bdi>{text}</bdi> ({countText(count)} {count === 1 ? "job" : "jobs"})
          </li>
        ))}
      </ul>
      <p>{LIBVMAF_NOTE}</p>
    </div>
  );
}
