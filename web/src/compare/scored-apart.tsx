/** Notes that the compared jobs were scored by different scorers or models. */
import {
  hasSeveralLibvmafs,
  LIBVMAF_NOTE,
  modelsApart,
  type ScoredBy,
  scorersApart,
  type Variant,
} from "../../../src/jobs/scored-apart.ts";
import type { Compared } from "./compared.ts";

export function ScoredApart({ compared }: { readonly compared: readonly Compared[] }) {
  const results = compared.flatMap(({ number, job: { result } }): ScoredBy[] =>
    result === undefined ? [] : [{ label: String(number), scorer: result.scorer, models: result.models }],
  );
  const scorers = scorersApart(results);
  return (
    <>
      {modelsApart(results).map(({ metric, models }) => (
        <div key={metric} className="scored-apart" role="note">
          <strong>
            <bdi>{metric}</bdi> holds scores of different models
          </strong>
          , which are not comparable:
          <Variants variants={models} />
        </div>
      ))}
      {scorers.length > 0 && (
        <div className="scored-apart" role="note">
          <strong>Scored by different scorers:</strong>
          <Variants variants={scorers} />
          {hasSeveralLibvmafs(results) && (
            <p>{LIBVMAF_NOTE} Submit the jobs again to compare smaller differences.</p>
          )}
        </div>
      )}
    </>
  );
}

function Variants({ variants }: { readonly variants: readonly Variant[] }) {
  return (
    <ul>
      {variants.map(({ text, labels }) => (
        <li key={text}>
          {labels.map((label) => (
            <span key={label} className="badge">
              {label}
            </span>
          ))}{" "}
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}
