/** A form for ladders in steps of equal quality, and the rungs that are proposed, each with its reason. */
import { useState } from "react";
import { useSearchParams } from "react-router";
import { bitRateText } from "../../../src/jobs/quantities.ts";
import { MIN_STEP } from "../../../src/rates/proposal.ts";
import { type Proposal, proposalsCsv, proposalsOf, REASONS } from "../../../src/report/proposals.ts";
import { comparisonRungs } from "../../../src/report/rungs.ts";
import { nameOf } from "../chart/metric-name.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { DownloadCsv, save } from "../ui/save.tsx";
import { ScrollArea } from "../ui/scrolls.tsx";
import { useSetParam } from "../ui/url-param.tsx";
import { type Comparison, fileOf } from "./comparison-view.ts";

/** Default step in VMAF points, which count as a just noticeable difference. */
const USUAL_STEP = "6";

interface ProposedLaddersProps {
  readonly comparison: Comparison;
  readonly clip: string;
}

export function ProposedLadders({ comparison, clip }: ProposedLaddersProps) {
  const [params] = useSearchParams();
  const setParam = useSetParam();
  const [step, setStep] = useState(params.get("step") ?? USUAL_STEP);
  const [cap, setCap] = useState(params.get("cap") ?? "");
  const { cells = [] } = comparison;
  const judged = comparisonRungs({ ...comparison, cells: cells.filter((cell) => cell.clip === clip) });
  if (judged === undefined || judged.rungs.length === 0) return null;
  const points = Number(step);
  const kilobits = cap === "" ? Number.POSITIVE_INFINITY : Number(cap);
  const fault = points >= MIN_STEP ? undefined : `At least ${MIN_STEP} points.`;
  const capFault = kilobits > 0 ? undefined : "A bit rate above 0.";
  const isValid = fault === undefined && capFault === undefined;
  const proposals = isValid ? proposalsOf(judged.rungs, { step: points, maxRate: kilobits * 1000 }) : [];
  const csv = [...proposalsCsv(proposals, judged.metric)].join("");
  const file = fileOf(comparison, "proposals");
  return (
    <section className="card" aria-label="Proposed ladders">
      <h2>
        Proposed ladders of {clip}, by {nameOf(judged.metric, [judged.metric])}
      </h2>
      <div className="proposal-form">
        <label>
          Step in points{" "}
          <input
            type="number"
            min={MIN_STEP}
            step="any"
            value={step}
            aria-invalid={fault !== undefined}
            onChange={({ target: { value } }) => {
              setStep(value);
              setParam("step", value === USUAL_STEP || value === "" ? undefined : value);
            }}
          />
        </label>
        <label>
          Largest bit rate in kbit/s{" "}
          <input
            type="number"
            min={0}
            step="any"
            placeholder="none"
            value={cap}
            aria-invalid={capFault !== undefined}
            onChange={({ target: { value } }) => {
              setCap(value);
              setParam("cap", value === "" ? undefined : value);
            }}
          />
        </label>
        {isValid && (
          <>
            <CopyButton
              name="Copy as CSV"
              text={csv}
              otherwise={() => {
                save(new Blob([csv], { type: "text/csv" }), `${file}.csv`);
                return "Saved as a file";
              }}
            />
            <DownloadCsv of="proposed ladders" name={file} lines={() => [csv]} />
          </>
        )}
        {!isValid && (
          <span className="failed" role="alert">
            {fault ?? capFault}
          </span>
        )}
      </div>
      {isValid && <Rungs proposals={proposals} />}
    </section>
  );
}

function Rungs({ proposals }: { readonly proposals: readonly Proposal[] }) {
  return (
    <>
      <ScrollArea label="Table of proposals">
        <table className="proposal-table">
          <thead>
            <tr>
              <th scope="col">Ladder</th>
              <th scope="col" className="number">
                Bit rate
              </th>
              <th scope="col" className="number">
                Score
              </th>
              <th scope="col">Nearest encode</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {proposals.map(({ ladder, rungs }) =>
              rungs.map(({ rate, score, like, reason }) => (
                <tr key={`${ladder} ${score}`}>
                  <td>
                    <bdi>{ladder}</bdi>
                  </td>
                  <td className="number">{bitRateText(rate)}</td>
                  <td className="number">{score.toFixed(2)}</td>
                  <td>
                    <bdi>{like.name}</bdi>
                  </td>
                  <td>{REASONS[reason]}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </ScrollArea>
      {proposals.some(({ rungs }) => rungs.length === 0) && (
        <p className="quiet">
          Too few encodes are on the convex hull, or within the bit rate:{" "}
          <bdi>
            {proposals
              .filter(({ rungs }) => rungs.length === 0)
              .map(({ ladder }) => ladder)
              .join(", ")}
          </bdi>
        </p>
      )}
    </>
  );
}
