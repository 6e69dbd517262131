/** The Bjøntegaard deltas of ladder B against ladder A. */

import { bitRateText } from "../../../../src/jobs/quantities.ts";
import { bdRate, bdScore, type Delta, MIN_OVERLAP, type Outcome } from "../../../../src/rates/bd-rate.ts";
import { overlapText } from "../../../../src/rates/overlap-text.ts";
import { MIN_POINTS, type Refusal, refusalOf, upright } from "../../../../src/rates/points.ts";
import { type ModelRanges, type Unit, unitOf } from "../../chart/data/metrics.ts";
import { bdRateText, bdScoreText, lowOverlapText } from "../../rates/delta-texts.ts";
import type { Chosen } from "../compare-query.ts";
import type { Compared, ComparedPoint } from "../compared.ts";
import { LADDERS, type LadderPoints, ladderOf, offHulls, without } from "./ladders.ts";
import { lacksVideoRate, type RateBasis } from "./rate-basis.ts";

interface DeltasProps {
  readonly chosen: readonly Chosen[];
  readonly points: readonly ComparedPoint[];
  readonly compared: readonly Compared[];
  readonly metric: string;
  readonly models: ModelRanges;
}

export function Deltas({ chosen, points, compared, metric, models }: DeltasProps) {
  const unit = unitOf(metric, models);
  const off = offHulls(points, unit.better);
  const [a, b] = LADDERS.map((ladder) => without(ladderOf(ladder, chosen, compared, points), off));
  return (
    <div className="deltas">
      <h2>B vs A</h2>
      {a === undefined || b === undefined || a.chosen + b.chosen === 0 ? (
        <p className="quiet">
          Assign each encode above to ladder A or B, at least {MIN_POINTS} encodes to each. BD-rate then shows
          how many more or fewer bits B needs than A for the same score.
        </p>
      ) : (
        <>
          <WholeFiles compared={compared} />
          <Fewer ladders={[a, b]} />
          {unit.better === undefined ? (
            <p className="refused">
              <strong>BD-rate is not computed:</strong> {unit.name} has no better direction.
            </p>
          ) : (
            <Numbers
              a={upright(a.points, unit.better === "lower")}
              b={upright(b.points, unit.better === "lower")}
              unit={unit}
              basis={compared[0]?.basis ?? "video"}
            />
          )}
        </>
      )}
    </div>
  );
}

/** Explains why rates of whole files are used, if they are. */
function WholeFiles({ compared }: { readonly compared: readonly Compared[] }) {
  const lacking = compared.filter(({ job }) => lacksVideoRate(job));
  if (lacking.length === 0) return null;
  return (
    <p className="few" role="note">
      <strong>Bit rates are those of whole files</strong>, including audio and container, for all encodes: the
      results of <bdi>{lacking.map(({ title }) => title).join(", ")}</bdi> come from a version that did not
      record video bit rates. Resubmit {lacking.length === 1 ? "it" : "them"} to compare video bit rates.
    </p>
  );
}

/** Lists ladders that have fewer points than encodes. */
function Fewer({ ladders }: { readonly ladders: readonly LadderPoints[] }) {
  const fewer = ladders.filter(({ missing }) => missing.length > 0);
  if (fewer.length === 0) return null;
  return (
    <ul className="few" role="note">
      {fewer.map(({ ladder, points, chosen, missing }) => (
        <li key={ladder}>
          Ladder {ladder.toUpperCase()} is computed from {points.length} of {chosen} encodes:{" "}
          <bdi>{missing.join("; ")}</bdi>.
        </li>
      ))}
    </ul>
  );
}

interface NumbersProps {
  /** The points of ladder A, with scores for which higher is better. */
  readonly a: readonly ComparedPoint[];
  readonly b: readonly ComparedPoint[];
  readonly unit: Unit;
  readonly basis: RateBasis;
}

function Numbers({ a, b, unit, basis }: NumbersProps) {
  const faults = [["A", a] as const, ["B", b] as const].flatMap(([name, points]) => {
    const refusal = refusalOf(points);
    return refusal === undefined ? [] : [{ name, text: FAULTS[refusal](points.length) }];
  });
  if (faults.length > 0) return <Faults faults={faults} />;
  const { name, decimals, better } = unit;
  const turn = better === "lower" ? -1 : 1;
  const scored = (value: number) => (turn * value).toFixed(decimals);
  return (
    <>
      <DeltaNumber
        name="BD-rate"
        outcome={bdRate(a, b)}
        text={({ value }) => bdRateText(value)}
        meaning={({ value }) =>
          `B needs ${Math.abs(value).toFixed(1)} % ${value < 0 ? "fewer" : "more"} bits than A for the same ${name}.`
        }
        range={({ from, to }) => `${name} ${scored(from)} to ${scored(to)}`}
      />
      <DeltaNumber
        name="BD-score"
        outcome={turned(bdScore(a, b), turn)}
        text={({ value }) => bdScoreText(value, unit)}
        meaning={({ value }) =>
          `At the same bit rate the ${name} of B is ${Math.abs(value).toFixed(decimals)} ${value < 0 ? "lower" : "higher"} than that of A (${value * turn < 0 ? "worse" : "better"}).`
        }
        range={({ from, to }) => `${bitRateText(10 ** from)} to ${bitRateText(10 ** to)}`}
      />
      <p className="quiet">
        Bjøntegaard delta with piecewise cubic interpolation (PCHIP) of log₁₀ of the rate.{" "}
        {BASIS_TEXTS[basis]}
      </p>
    </>
  );
}

/** Returns an outcome in the metric's own direction. */
function turned(outcome: Outcome, turn: 1 | -1): Outcome {
  if ("refusal" in outcome) return outcome;
  return { delta: { ...outcome.delta, value: turn * outcome.delta.value } };
}

interface LadderFault {
  readonly name: string;
  readonly text: string;
}

function Faults({ faults }: { readonly faults: readonly LadderFault[] }) {
  return (
    <div className="refused">
      <p>
        <strong>BD-rate is not computed:</strong>
      </p>
      <ul>
        {faults.map(({ name, text }) => (
          <li key={name}>
            Ladder {name} {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface NumberProps {
  readonly name: string;
  readonly outcome: Outcome;
  readonly text: (delta: Delta) => string;
  readonly meaning: (delta: Delta) => string;
  readonly range: (delta: Delta) => string;
}

function DeltaNumber({ name, outcome, text, meaning, range }: NumberProps) {
  if ("refusal" in outcome)
    return (
      <p className="refused">
        <strong>{name} is not computed:</strong> the ladders {FAULTS.NO_OVERLAP(0)}
      </p>
    );
  const { delta } = outcome;
  return (
    <div className="delta">
      <h3>{name}</h3>
      <p className="delta-value" title={String(delta.value)}>
        {text(delta)}
      </p>
      <p>{meaning(delta)}</p>
      <p className="quiet">
        Averaged over {range(delta)}, {overlapText(delta.overlap)} of the wider ladder.
      </p>
      {delta.overlap < MIN_OVERLAP && (
        <p className="few" role="note">
          {lowOverlapText(`${name} does`)}
        </p>
      )}
    </div>
  );
}

const BASIS_TEXTS: Readonly<Record<RateBasis, string>> = {
  video: "Bit rates are those of the video tracks.",
  file: "Bit rates are those of whole files.",
};

const FAULTS: Readonly<Record<Refusal, (count: number) => string>> = {
  TOO_FEW_POINTS: (count) =>
    `has ${count} ${count === 1 ? "encode" : "encodes"} with a score and a bit rate. At least ${MIN_POINTS} are needed for a meaningful cubic.`,
  NO_RATE: () => "has an encode whose bit rate is not above 0.",
  NO_SCORE: () => "has an encode whose score is not a number.",
  SAME_POINT: () =>
    "has two encodes with the same score or the same bit rate, so no curve passes through both.",
  NOT_MONOTONE: () =>
    "has an encode that scores lower with more bits, so score isn't a function that rises with rate.",
  NO_OVERLAP: () => "have no scores or no bit rates in common.",
};
