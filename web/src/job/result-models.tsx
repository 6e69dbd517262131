/** The models of a result, why they were chosen, and how they were applied. */
import { modelFacts, usedModel } from "../../../src/jobs/scored-models.ts";
import type { Schemas } from "../api/client.ts";

export function ResultModels({ result }: { readonly result: Schemas["ScoreResult"] }) {
  return (
    <ul className="result-models" aria-label="Models">
      {result.models.map((scored) => {
        const { model, metric, reason } = scored;
        const used = usedModel(scored);
        return (
          <li key={metric}>
            {used !== model && (
              <>
                <bdi>{model}</bdi>:{" "}
              </>
            )}
            <bdi className="mono">{used}</bdi>
            <span className="quiet">
              {modelFacts(scored).map((fact) => ` · ${fact}`)}
              {reason && <span className="reason">{reason}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
