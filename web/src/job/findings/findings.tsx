/** The findings about how the two videos relate, with buttons that score them in another way. */
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { Job } from "../../jobs/job-facts.ts";
import { hasRole, useSession } from "../../session/session.ts";
import { SubmitAgain } from "../submit-again.tsx";
import { comparedFrame } from "./compared-frame.ts";
import { Evidence } from "./evidence.tsx";
import {
  CONFIDENCE_NAMES,
  comparedTexts,
  findingTitle,
  placeText,
  SIDE_NAMES,
  sizeText,
} from "./finding-texts.ts";
import { Outline } from "./outline.tsx";
import type { Confidence, Finding, Fix } from "./read-findings.ts";
import { asItIs, findingsOf, repairOf, scored } from "./repair.ts";
import "../../style/findings.css";

/** Limit of findings that are shown at first; those that are only possible are not among them. */
const MOST = 5;

export function Findings({ job }: { readonly job: Job }) {
  const [isAll, setIsAll] = useState(false);
  const all = findingsOf(job);
  const isDiagnosis = job.diagnosis !== undefined;
  if (all.length === 0 && !isDiagnosis) return null;
  const first = all.filter(({ confidence }) => confidence !== "possible").slice(0, MOST);
  const rest = all.length - first.length;
  const repair = repairOf(job);
  return (
    <section className="card job-findings" aria-labelledby="findings">
      <div className="section-head">
        <h2 id="findings">{isDiagnosis ? "Diagnosis" : "Findings"}</h2>
        <Repairs key={job.id} job={job} repair={repair} />
      </div>
      {isDiagnosis && first.length === 0 && (
        <p>Nothing is wrong with the pair, as far as it could be checked.</p>
      )}
      {repair !== undefined && all.length > 1 && (
        <p className="quiet">Fixes to apply: {comparedTexts(repair).join(", ")}</p>
      )}
      <ul>
        {(isAll ? all : first).map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings of a job never change, and some can be equal
          <Item key={index} job={job} finding={finding} />
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" className="plain link" aria-expanded={isAll} onClick={() => setIsAll(!isAll)}>
          {isAll ? "Show fewer findings" : `Show ${rest} ${moreOf(all, first, rest)}`}
        </button>
      )}
    </section>
  );
}

function moreOf(all: readonly Finding[], first: readonly Finding[], rest: number): string {
  const left = all.filter((finding) => !first.includes(finding));
  const kind = left.every(({ confidence }) => confidence === "possible") ? "possible" : "more";
  return `${kind} finding${rest === 1 ? "" : "s"}`;
}

/** Buttons for callers who may submit jobs. */
function Repairs({ job, repair }: { readonly job: Job; readonly repair: Fix | undefined }) {
  const { caller } = useSession();
  if (!hasRole(caller, "svc:writer")) return null;
  return (
    <div className="buttons">
      {repair !== undefined && (
        <SubmitAgain spec={{ ...scored(job.spec), ...repair }} isPrimary>
          Score with these fixes
        </SubmitAgain>
      )}
      {job.diagnosis !== undefined && repair === undefined && (
        <SubmitAgain spec={scored(job.spec)} isPrimary>
          Score this pair
        </SubmitAgain>
      )}
      {(job.state === "FAILED" || (job.diagnosis !== undefined && repair !== undefined)) && (
        <SubmitAgain spec={asItIs(scored(job.spec))}>Score as it is</SubmitAgain>
      )}
    </div>
  );
}

function Item({ job, finding }: { readonly job: Job; readonly finding: Finding }) {
  const { code, confidence, evidence, fix, isFixed } = finding;
  const fixes = isFixed || fix === undefined ? [] : comparedTexts(fix);
  const frame = comparedFrame(job, finding);
  return (
    <li className={`finding ${confidence} ${isFixed ? "fixed" : ""}`}>
      <h3>
        <Mark confidence={confidence} isFixed={isFixed} />
        <bdi>{findingTitle(code)}</bdi>
      </h3>
      <Place finding={finding} frame={frame} />
      <p>
        <bdi>{evidence}</bdi>
      </p>
      {fixes.length > 0 && <p className="quiet">Fix: {fixes.join(", ")}</p>}
      <Outline job={job} finding={finding} />
      {frame !== undefined && <Evidence job={job} frame={frame} />}
    </li>
  );
}

const SIGNS: Readonly<Record<Confidence, string>> = { certain: "✕", likely: "!", possible: "?" };

function Mark({ confidence, isFixed }: Pick<Finding, "confidence" | "isFixed">) {
  return (
    <span className="mark">
      <span aria-hidden="true">{isFixed ? "✓" : SIGNS[confidence]}</span>{" "}
      {isFixed ? "Fixed" : CONFIDENCE_NAMES[confidence]}
    </span>
  );
}

interface PlaceProps {
  readonly finding: Finding;
  /** The compared frame that shows the finding; undefined if none does. */
  readonly frame: number | undefined;
}

/** "Distorted · frames 40–46 · 7 frames". */
function Place({ finding, frame }: PlaceProps) {
  const { code, side, frames } = finding;
  const size = sizeText(finding);
  const facts = [
    side && SIDE_NAMES[side],
    frames && <Frames key="frames" frames={frames} frame={frame} />,
    size !== undefined && !(frames && size === `${frames.count} frames`) && size,
  ].filter(Boolean);
  return (
    <p className="quiet place">
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a finding have a fixed order
        <span key={index}>{fact}</span>
      ))}
      <code>{code}</code>
    </p>
  );
}

/** The frames, as a link to their place in the chart if they have one. */
function Frames({
  frames,
  frame,
}: { readonly frames: NonNullable<Finding["frames"]> } & Omit<PlaceProps, "finding">) {
  const [params] = useSearchParams();
  if (frame === undefined) return placeText(frames);
  const search = new URLSearchParams(params);
  search.set("frame", String(frame));
  const scroll = () => document.querySelector(".job-frames")?.scrollIntoView();
  return (
    <Link to={{ search: `?${search.toString()}` }} replace onClick={scroll}>
      {placeText(frames)}
    </Link>
  );
}
