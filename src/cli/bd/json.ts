/** The comparison as JSON: docs/cli.md documents the names. */
import type { Average, Comparison, Result } from "../../rates/comparison.ts";
import { type Hull, sizeText } from "../../rates/ladder-hulls.ts";
import type { Encode } from "../../rates/points.ts";
import type { ProposalRequest } from "../../rates/proposal.ts";
import type { Quality } from "../../rates/quality.ts";
import { reasonText } from "../../rates/reasons.ts";
import { proposalJson, proposalsOf } from "../../report/proposals.ts";
import type { JudgedRungs, RungNote } from "../../report/rungs.ts";
import { printableJson } from "../terminal/escape.ts";

/** One result per line, because there may be many. Without `request`, no ladders are proposed. */
export function* comparisonJson(
  comparison: Comparison,
  judged: JudgedRungs | undefined,
  request: ProposalRequest | undefined,
): Generator<string> {
  const { anchor, metrics, results, averages, hulls } = comparison;
  yield `{\n  "anchor": ${printableJson(anchor)},\n  "metrics": [\n`;
  yield* lines(metrics.map(metricJson));
  yield '  ],\n  "results": [\n';
  yield* lines(results.map((result) => resultJson(result, anchor)));
  yield '  ],\n  "averages": [\n';
  yield* lines(averages.map(averageJson));
  yield '  ],\n  "hulls": [\n';
  yield* lines(hulls.map((hull) => hullJson(hull, metrics.indexOf(hull.metric))));
  yield '  ],\n  "rungs": [\n';
  yield* lines(judged?.notes.map((note) => rungJson(note, judged.metric)) ?? []);
  if (judged !== undefined && request !== undefined) {
    yield '  ],\n  "proposals": [\n';
    yield* lines(proposalsOf(judged.rungs, request).map((each) => proposalJson(each, judged.metric)));
  }
  yield "  ]\n}\n";
}

export function rungJson({ ladder, clip, fault, text }: RungNote, metric: string) {
  const { kind, rung, other, points, rate } = fault;
  return {
    ...{ ladder, clip: clip === "" ? null : clip, metric, fault: kind },
    ...{ rate: rung.rate, score: rung.score, otherRate: other.rate, otherScore: other.score, points },
    ...(rate !== undefined && { missingRate: rate }),
    text,
  };
}

function* lines(values: readonly unknown[]): Generator<string> {
  for (const [index, value] of values.entries())
    yield `    ${printableJson(value)}${index === values.length - 1 ? "" : ","}\n`;
}

function metricJson({ name, isLower, max }: Quality) {
  return { name, better: isLower ? "lower" : "higher", max: max ?? null };
}

function resultJson(result: Result, anchor: string) {
  const { ladder, clip, metric, method, scale, crossings, dropped, offHull, refused } = result;
  return {
    ...{ ladder, clip: clip === "" ? null : clip, metric: metric.name, method, scale },
    ...{ bdRate: result.bdRate ?? null, bdQuality: result.bdQuality ?? null },
    ...{ overlap: result.overlap ?? null, rateOverlap: result.rateOverlap ?? null },
    ...(crossings.length > 0 && { crossings: crossings.map(({ score, rate }) => ({ score, rate })) }),
    ...(dropped > 0 && { dropped }),
    ...(offHull > 0 && { offHull }),
    ...(refused && { error: refused.code, reason: reasonText(result, refused, anchor) }),
  };
}

/** `index`: of the metric in the scores. */
function hullJson({ ladder, clip, metric, on, off }: Hull, index: number) {
  const pointJson = ({ rate, size, scores }: Encode) => ({
    ...{ rate, score: scores[index] ?? null, size: size === undefined ? null : sizeText(size) },
  });
  return {
    ...{ ladder, clip: clip === "" ? null : clip, metric: metric.name },
    ...{ on: on.map(pointJson), off: off.map(pointJson) },
  };
}

function averageJson({ ladder, metric, method, scale, bdRate, bdQuality, clips, refused }: Average) {
  return {
    ...{ ladder, metric: metric.name, method, scale },
    ...{ bdRate: bdRate ?? null, bdQuality: bdQuality ?? null, clips, refused },
  };
}
