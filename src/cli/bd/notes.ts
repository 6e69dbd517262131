/** Notes on the numbers of a metric: why some are missing, and which do not describe their ladders. */
import { MIN_OVERLAP } from "../../rates/bd-rate.ts";
import type { Method, Result } from "../../rates/comparison.ts";
import { overlapText } from "../../rates/overlap-text.ts";
import { reasonText } from "../../rates/reasons.ts";
import { printable } from "../terminal/escape.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

interface Note {
  readonly text: string;
  readonly ink: "red" | "yellow" | "dim";
}

/** Returns one note for each reason, regardless of how many ladders and methods it concerns. */
export function notesOf(results: readonly Result[], anchor: string, terminal: Terminal): string[] {
  const notes = [...refusals(results, anchor), ...smallOverlaps(results), ...drops(results)];
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
