/** Formats tables: how the pairs of each class were judged, and how often each finding was true. */
import { CLASSES } from "./corpus/cases.ts";
import type { Pair } from "./corpus/store.ts";
import type { Found } from "./found.ts";
import { OUTCOMES, type Verdict } from "./judge.ts";

export interface Judged {
  readonly pair: Pair;
  readonly found: Found;
  readonly verdict: Verdict;
  /** CPU time of the diagnosis, in milliseconds. */
  readonly cpuMs: number;
}

/** Highest CRF of ordinary quality. */
const ORDINARY_CRF = 35;
/** Highest CRF that anybody would publish. */
const HIGHEST_USUAL_CRF = 45;

const isClean = ({ pair }: Judged): boolean => pair.class.startsWith("clean");

/**
 * Returns a row for each class, for all pairs, for all but the worst encodes, and for natural content. Faults that
 * their content hides have a row of their own: faults in time of still or looping scenes, and bars over black.
 */
export function outcomeTable(judged: readonly Judged[]): string {
  const clear = judged.filter(({ pair }) => !pair.truth.ambiguous);
  const faults = clear.filter((one) => !isClean(one));
  const usual = faults.filter(({ pair }) => pair.treatment.crf <= HIGHEST_USUAL_CRF);
  const natural = usual.filter(({ pair }) => pair.natural && pair.treatment.crf <= ORDINARY_CRF);
  return table(
    ["class", "pairs", ...OUTCOMES, "recall %", "other alarms", "events ±1 frame %", "areas ±1 %", "CPU ms"],
    [
      ...CLASSES.map((name) =>
        row(
          name,
          clear.filter(({ pair }) => pair.class === name),
        ),
      ),
      row("**all faults**", faults),
      row(`all faults, CRF to ${HIGHEST_USUAL_CRF}`, usual),
      row(`natural, CRF to ${ORDINARY_CRF}`, natural),
      row("**all clean**", clear.filter(isClean)),
      row(
        "hidden by the content",
        judged.filter(({ pair }) => pair.truth.ambiguous),
      ),
    ].filter(([, pairs]) => pairs !== 0),
  );
}

type Cell = string | number;

function row(name: string, judged: readonly Judged[]): Cell[] {
  const counts = OUTCOMES.map(
    (outcome) => judged.filter(({ verdict }) => verdict.outcome === outcome).length,
  );
  const right = counts[OUTCOMES.indexOf("right")] ?? 0;
  const others = judged.filter(({ verdict }) => verdict.alarms.length > 0 && verdict.outcome !== "wrong");
  const positions = judged.flatMap(({ verdict }) => verdict.positions);
  const areas = judged.flatMap(({ verdict }) => verdict.areaError ?? []);
  const within = [positions, areas].map((errors) => {
    return percent(errors.filter((error) => error <= 1).length, errors.length);
  });
  const cpu = median(judged.map(({ cpuMs }) => cpuMs)).toFixed(0);
  return [name, judged.length, ...counts, percent(right, judged.length), others.length, ...within, cpu];
}

/**
 * Returns a row for each code: how many pairs should have it, how many have it, and how many of these findings are
 * true.
 */
export function findingTable(judged: readonly Judged[]): string {
  const named = judged.flatMap(({ pair, found }) => [
    ...pair.truth.expected.flat(),
    ...found.findings.map(({ code }) => code),
  ]);
  const rows = [...new Set(named)].sort().map((code): Cell[] => {
    const expected = judged.filter(({ pair }) => pair.truth.expected.flat().includes(code));
    const made = judged.filter(({ found }) => found.findings.some((finding) => finding.code === code));
    const untrue = made.filter(
      ({ pair: { truth } }) => ![...truth.expected.flat(), ...truth.allowed].includes(code),
    );
    const hit = made.length - untrue.length;
    return [code, expected.length, made.length, hit, percent(hit, made.length)];
  });
  return table(["finding", "expected or possible", "made", "true", "precision %"], rows);
}

/** "False alarms on 112 clean pairs: 0 with a certain finding, 1 with a likely one." */
export function cleanAlarms(judged: readonly Judged[]): string {
  const clean = judged.filter(isClean);
  const [refuse, warn] = (["certain", "likely"] as const).map((confidence) => {
    return clean.filter(({ verdict }) => verdict.alarms.some((alarm) => alarm.confidence === confidence))
      .length;
  });
  return `False alarms on ${clean.length} clean pairs: ${refuse} with a certain finding, ${warn} with a likely one.`;
}

/** Lists the pairs that are not right or have alarms, one per line. */
export function complaints(judged: readonly Judged[]): string {
  return judged
    .filter(({ verdict }) => verdict.outcome !== "right" || verdict.alarms.length > 0)
    .map(({ pair: { id, content, treatment }, verdict: { outcome, reasons } }) => {
      return `${outcome} ${id} (${content}, ${treatment.codec} ${treatment.crf}): ${reasons.join("; ")}`;
    })
    .join("\n");
}

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [head, ["---", ...head.slice(1).map(() => "---:")], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : ((100 * part) / whole).toFixed(1);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
