/** How much better or worse one ladder is than the other. */

import { bitRateText } from "../../../src/jobs/quantities.ts";
import { type Unit, unitOf } from "../chart/metrics.ts";
import {
  bdRate,
  bdScore,
  type Delta,
  LEAST_POINTS,
  type Outcome,
  type Refusal,
  refusalOf,
} from "./bd-rate.ts";
import type { Chosen } from "./compare-query.ts";
import type { Compared, ComparedPoint } from "./compared.ts";
import { LADDERS, type LadderPoints, ladderOf, upright } from "./ladders.ts";
import { signed } from "./quantities.ts";
import { lacksVideoRate, type RateBasis } from "./rate-basis.ts";

interface DeltasProps {
  readonly chosen: readonly Chosen[];
  readonly points: readonly ComparedPoint[];
  readonly compared: readonly Compared[];
  readonly metric: string;
  readonly models: readonly string[];
}

/** Share of the wider ladder's range; a delta over less of it is shown with a warning. */
const LEAST_OVERLAP = 0.75;

export function Deltas({ chosen, points, compared, metric, models }: DeltasProps) {
  const [a, b] = LADDERS.map((ladder) => ladderOf(ladder, chosen, compared, points));
  const unit = unitOf(metric, models);
  return (
    <div className="deltas">
      <h2>B vs A</h2>
      {a === undefined || b === undefined || a.chosen + b.chosen === 0 ? (
        <p className="quiet">
          Choose for each encode above whether it belongs to ladder A or B, at least {LEAST_POINTS} for each:
          BD-rate is then how many more or fewer bits B needs than A for the same score.
        </p>
      ) : (
        <>
          <WholeFiles compared={compared} />
          <Fewer ladders={[a, b]} />
          {unit.better === undefined ? (
            <p className="refused">
              <strong>BD-rate is not computed:</strong> neither high nor low values of {metric} are better.
            </p>
          ) : (
            <Numbers
              a={upright(a.points, unit.better)}
              b={upright(b.points, unit.better)}
              unit={unit}
              basis={compared[0]?.basis ?? "video"}
            />
          )}
        </>
      )}
    </div>
  );
}

/** Why the rates are those of whole files, where they are. */
function WholeFiles({ compared }: { readonly compared: readonly Compared[] }) {
  const lacking = compared.filter(({ job }) => lacksVideoRate(job));
  if (lacking.length === 0) return null;
  return (
    <p className="few" role="note">
      <strong>Bit rates are those of whole files</strong>, audio and container included, for all encodes: the
      results of <bdi>{lacking.map(({ title }) => title).join(", ")}</bdi> are from a version that did not
      record the video’s own. Resubmit {lacking.length === 1 ? "it" : "them"} to compare video bit rates.
    </p>
  );
}

/** Which ladders have fewer points than encodes were chosen for them. */
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
  /** With scores of which a higher one is better. */
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
  const { name, symbol, decimals, better } = unit;
  const turn = better === "lower" ? -1 : 1;
  const scored = (value: number) => (turn * value).toFixed(decimals);
  return (
    <>
      <DeltaNumber
        name="BD-rate"
        outcome={bdRate(a, b)}
        text={({ value }) => `${signed(value, 2)} %`}
        meaning={({ value }) =>
          `B needs ${Math.abs(value).toFixed(1)} % ${value < 0 ? "fewer" : "more"} bits than A for the same ${name}.`
        }
        range={({ from, to }) => `${name} ${scored(from)} to ${scored(to)}`}
      />
      <DeltaNumber
        name="BD-score"
        outcome={turned(bdScore(a, b), turn)}
        text={({ value }) => `${signed(value, decimals)} ${symbol}`.trim()}
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

/** In the metric's own direction again. */
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
        Averaged over {range(delta)}, {(delta.overlap * 100).toFixed(0)} % of the wider ladder.
      </p>
      {delta.overlap < LEAST_OVERLAP && (
        <p className="few" role="note">
          The ladders overlap by less than {LEAST_OVERLAP * 100} %: {name} does not describe the rest of them.
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
    `has ${count} ${count === 1 ? "encode" : "encodes"} with a score and a bit rate: ${LEAST_POINTS} are needed, for a cubic through fewer means little.`,
  NO_RATE: () => "has an encode whose bit rate is not above 0.",
  NO_SCORE: () => "has an encode whose score is not a number.",
  SAME_POINT: () => "has two encodes of the same score or the same bit rate: no curve goes through both.",
  NOT_MONOTONE: () => "has an encode that scores worse with more bits: it is no curve of score over rate.",
  NO_OVERLAP: () => "have no score or no bit rate in common.",
};
