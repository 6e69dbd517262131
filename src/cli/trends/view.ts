/** Trends as text. */
import { type MeanDelta, type Trend, TrendDelta_Verdict } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { signedText } from "../../jobs/quantities.ts";
import { invalid } from "../../platform/failure.ts";
import { AfterOutcome } from "../command.ts";
import { EXIT } from "../exit.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";

const DECIMALS = 2;
const VERDICTS: Readonly<Record<TrendDelta_Verdict, string>> = {
  [TrendDelta_Verdict.VERDICT_UNSPECIFIED]: "",
  [TrendDelta_Verdict.UNCHANGED]: "no significant difference",
  [TrendDelta_Verdict.WORSE]: "worse",
  [TrendDelta_Verdict.BETTER]: "better",
};

/** Returns a table of the releases, a line about the two that are compared, and notes. */
export function trendLines(trend: Trend, terminal: Terminal): string[] {
  const { by, metric, statistic, releases, delta } = trend;
  if (releases.length === 0) return [`No succeeded job has the label ${printable(by)}.`];
  return [
    `${printable(metric)} ${statistic} by ${printable(by)}${delta ? `, against ${printable(delta.baseline)}` : ""}`,
    ...tableLines(releases, columnsFor(terminal), terminal, { heading: true }),
    "",
    ...deltaLines(trend, terminal),
    ...noteLines(trend),
  ];
}

function columnsFor({ unicode }: Terminal): readonly TableColumn<Trend["releases"][number]>[] {
  const number = { atLeast: 0, align: "right" } as const;
  const change = (delta: MeanDelta) =>
    `changed here: ${differenceText(delta.mean, unicode)} over ${delta.clips} clips`;
  return [
    { heading: "RELEASE", text: ({ name }) => name, atLeast: 0 },
    { heading: "CLIPS", ...number, text: ({ clips }) => String(clips) },
    {
      heading: "DIFFERENCE",
      ...number,
      text: ({ delta }) => (delta ? meanText(delta, unicode) : "baseline"),
    },
    { heading: "", text: ({ change: own }) => (own ? change(own) : ""), atLeast: 0 },
  ];
}

/** "release 7 against 6: 12 of 40 clips worse by more than 0.5, mean −0.42 ± 0.21, p5 −1.40 ± 0.30: worse". */
export function deltaLines({ by, delta, statistic, threshold }: Trend, terminal: Terminal): string[] {
  if (delta === undefined) return ["There are not two releases to compare."];
  const { baseline, candidate, worse, better, statistics, verdict } = delta;
  const { clips = 0, halfWidth } = statistics[statistic] ?? {};
  const which = `${printable(by)} ${printable(candidate)} against ${printable(baseline)}`;
  if (clips === 0) return [`${which}: no clip has a score in both.`];
  const shown = [...new Set([statistic, "p5"])].flatMap((name) => {
    const own = statistics[name];
    return own?.mean === undefined ? [] : [`${name} ${meanText(own, terminal.unicode)}`];
  });
  const counts = `${worse} of ${clips} clips worse by more than ${threshold}${better > 0 ? `, ${better} better` : ""}`;
  const ink =
    verdict === TrendDelta_Verdict.WORSE ? "red" : verdict === TrendDelta_Verdict.BETTER ? "green" : "dim";
  const said = halfWidth === undefined ? "no verdict on one reference" : (VERDICTS[verdict] ?? "");
  return [`${which}: ${counts}, ${shown.join(", ")}: ${paint(terminal, ink, said)}`];
}

function noteLines({ releases, leftOut, metric }: Trend): string[] {
  const scorers = new Set(releases.flatMap((release) => release.scorers));
  return [
    ...(leftOut === 0
      ? []
      : [
          `${leftOut} ${leftOut === 1 ? "job is" : "jobs are"} left out: they have no ${printable(metric)}, or one of another model.`,
        ]),
    ...(scorers.size > 1
      ? [
          `Scored with different scorers, whose last digits may differ: ${[...scorers].map((text) => printable(text)).join("; ")}.`,
        ]
      : []),
  ];
}

/** "−0.42 ± 0.21"; without an interval if there is none. */
function meanText({ mean, halfWidth }: MeanDelta, unicode: boolean): string {
  const interval = halfWidth === undefined ? "" : ` ${unicode ? "±" : "+-"} ${halfWidth.toFixed(DECIMALS)}`;
  return `${differenceText(mean, unicode)}${interval}`;
}

function differenceText(mean: number | undefined, unicode: boolean): string {
  if (mean === undefined) return "-";
  const text = signedText(mean, DECIMALS);
  return unicode ? text : text.replace("−", "-");
}

/**
 * Returns the exit code of a printed trend. It is that of a missed gate if the candidate is worse beyond chance, by at
 * least `failIfWorse` points in the chosen statistic; never if `failIfWorse` is undefined. Throws AfterOutcome if there
 * is no verdict, so that a gate which decides nothing does not pass.
 */
export function exitOf({ by, delta, statistic }: Trend, failIfWorse: number | undefined): number {
  if (failIfWorse === undefined) return EXIT.scored;
  if (delta === undefined) throw undecided(`there are not two releases of ${quoteName(by)}`);
  const { clips = 0, mean = 0, lowerChance } = delta.statistics[statistic] ?? {};
  const releases = `${quoteName(delta.baseline)} and ${quoteName(delta.candidate)}`;
  if (clips === 0) throw undecided(`${releases} have no reference in common`);
  if (lowerChance === undefined) throw undecided(`${releases} have only one reference in common`);
  const isWorse = delta.verdict === TrendDelta_Verdict.WORSE && Math.abs(mean) >= failIfWorse;
  return isWorse ? EXIT.underGate : EXIT.scored;
}

/** `why` has no full stop. */
function undecided(why: string): AfterOutcome {
  return new AfterOutcome(
    invalid(
      `--fail-if-worse cannot decide: ${why}. It needs the scores of at least two references in both releases. Score more references, or leave out --fail-if-worse.`,
    ),
  );
}
