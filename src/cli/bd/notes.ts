/** Notes on the numbers of a metric: why some are missing, and which do not describe their ladders. */
import { MIN_OVERLAP } from "../../rates/bd-rate.ts";
import type { Method, Result } from "../../rates/comparison.ts";
import type { Hull } from "../../rates/ladder-hulls.ts";
import { overlapText } from "../../rates/overlap-text.ts";
import { reasonText } from "../../rates/reasons.ts";
import { shortScore } from "../../report/curve-notes.ts";
import { printable } from "../terminal/escape.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

interface Note {
  readonly text: string;
  readonly ink: "red" | "yellow" | "dim";
}

/** Clips of a ladder whose crossings or hulls are named one by one; more are only counted. */
const MOST_CLIPS = 3;

/**
 * Returns one note for each reason, regardless of how many ladders and methods it concerns. `results` and `hulls` are
 * those of one metric.
 */
export function notesOf(
  results: readonly Result[],
  hulls: readonly Hull[],
  anchor: string,
  terminal: Terminal,
): string[] {
  const notes = [
    ...refusals(results, anchor),
    ...smallOverlaps(results),
    ...crossed(results, anchor),
    ...hullNotes(hulls),
    ...drops(results),
  ];
  return notes.flatMap(({ text, ink }) =>
    wrap(`! ${printable(text)}`, terminal.columns, "  ").map((line) => paint(terminal, ink, line)),
  );
}

function refusals(results: readonly Result[], anchor: string): readonly Note[] {
  const reasons = new Map<string, Set<Method | "dB">>();
  for (const result of results) {
    if (result.refused === undefined) continue;
    const text = `${place(result.clip)}${reasonText(result, result.refused, anchor)}`;
    const concerned = result.scale === "log" ? "dB" : result.method;
    reasons.set(text, (reasons.get(text) ?? new Set()).add(concerned));
  }
  return [...reasons].map(([text, methods]) => ({
    text: `${text} (${[...methods].join(", ")})`,
    ink: "red",
  }));
}

function smallOverlaps(results: readonly Result[]): readonly Note[] {
  const known = results.filter(({ overlap }) => overlap !== undefined);
  const byScale = Map.groupBy(known, ({ ladder, clip, scale }) => JSON.stringify([ladder, clip, scale]));
  return [...byScale.values()]
    .flatMap((all) => all.slice(0, 1))
    .filter(({ overlap = 1 }) => overlap < MIN_OVERLAP)
    .map(({ ladder, clip, overlap = 0, metric, scale }) => {
      const range = `the range of ${metric.name}${scale === "log" ? " in dB" : ""}`;
      return {
        text: `${place(clip)}${ladder} shares only ${overlapText(overlap)} of ${range}; the numbers do not describe the rest`,
        ink: "yellow",
      };
    });
}

/** A BD-rate of crossing curves is a mean of more bits at some scores and fewer at others. */
function crossed(results: readonly Result[], anchor: string): readonly Note[] {
  const byLadder = Map.groupBy(results, ({ ladder }) => ladder);
  return [...byLadder].flatMap(([ladder, own]): readonly Note[] => {
    const found = own.flatMap(({ clip, crossings }) =>
      crossings.length === 0 ? [] : [{ clip, scores: crossings }],
    );
    const curves = `the curves of ${ladder} and ${anchor} cross`;
    const sense = "which needs fewer bits depends on the quality";
    const name = own[0]?.metric.name;
    if (found.length > MOST_CLIPS)
      return [{ text: `${curves} by ${name} in ${found.length} clips; ${sense}`, ink: "yellow" }];
    return found.map(({ clip, scores }) => ({
      text: `${place(clip)}${curves} at ${scores.map(({ score }) => shortScore(score)).join(", ")} of ${name}; ${sense}`,
      ink: "yellow",
    }));
  });
}

/** Says that a curve does not pass through all encodes of its ladder. */
function hullNotes(hulls: readonly Hull[]): readonly Note[] {
  const byLadder = Map.groupBy(hulls, ({ ladder }) => ladder);
  return [...byLadder].flatMap(([ladder, own]): readonly Note[] => {
    const curve = `the curve of ${ladder} is the convex hull of`;
    if (own.length <= MOST_CLIPS)
      return own.map(({ clip, metric, sizes, on, off }) => ({
        text: `${place(clip)}${curve} ${sizes} picture sizes; ${on.length} of ${on.length + off.length} encodes are on it by ${metric.name}`,
        ink: "dim",
      }));
    const [on, off] = [own.flatMap((hull) => hull.on).length, own.flatMap((hull) => hull.off).length];
    const text = `${curve} several picture sizes in ${own.length} clips; ${on} of ${on + off} encodes are on it by ${own[0]?.metric.name}`;
    return [{ text, ink: "dim" }];
  });
}

function drops(results: readonly Result[]): readonly Note[] {
  return results
    .filter(({ dropped }) => dropped > 0)
    .map(({ ladder, clip, dropped }) => ({
      text: `${place(clip)}${ladder}: aom-ctc left out ${dropped === 1 ? "a saturated or repeated point" : `${dropped} saturated or repeated points`}`,
      ink: "dim",
    }));
}

function place(clip: string): string {
  return clip === "" ? "" : `${clip}: `;
}
