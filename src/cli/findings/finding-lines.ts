/**
 * Formats findings for reports: what was found, how sure that is, where, the evidence, and the options that repair it.
 */
import type { Confidence } from "../../engine/contract/finding.ts";
import { areaText } from "../../engine/contract/picture.ts";
import { printable } from "../terminal/escape.ts";
import { type Ink, paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import { fixOptions } from "./fix-options.ts";
import { type FindingView, sideOfArea } from "./view.ts";

const INKS = { certain: "red", likely: "yellow", possible: "dim" } as const satisfies Record<Confidence, Ink>;
/** Limit of findings in a list. A video with more has the same fault repeatedly. */
const MOST = 12;

/** Returns the lines of one finding. */
export function findingLines(finding: FindingView, terminal: Terminal): string[] {
  return [...claimLines(finding, terminal), ...fixLines(finding, terminal)];
}

/** Returns the lines of one finding without its fix. */
export function claimLines(finding: FindingView, terminal: Terminal): string[] {
  const evidence = indented(wrap(printable(finding.evidence), terminal.columns - 2));
  const isQuiet = finding.confidence === "possible" && finding.fixed !== true;
  return [
    headLine(finding, terminal),
    ...(isQuiet ? evidence.map((line) => paint(terminal, "dim", line)) : evidence),
  ];
}

/** "OFFSET (certain)  frames 40–44 of the distorted video" */
function headLine(finding: FindingView, terminal: Terminal): string {
  const { code, confidence, fixed } = finding;
  const claim = `${printable(code)} (${printable(confidence)}${fixed ? ", fixed" : ""})`;
  const place = placeText(finding, terminal);
  const ink = fixed ? "green" : inkOf(confidence);
  return `${paint(terminal, ink, claim)}${place === "" ? "" : `  ${paint(terminal, "dim", place)}`}`;
}

/** A confidence that this version doesn't know is shown like a likely one. */
function inkOf(confidence: string): Ink {
  return Object.entries(INKS).find(([known]) => known === confidence)?.[1] ?? INKS.likely;
}

function placeText(finding: FindingView, { unicode }: Terminal): string {
  const { side, frames, area } = finding;
  const within = (of: string | undefined) =>
    of === "reference" ? " of the reference" : of === "distorted" ? " of the distorted video" : "";
  const parts = [
    ...(frames === undefined ? [] : [`${spanText(frames, unicode ? "–" : "-")}${within(side)}`]),
    ...(area === undefined ? [] : [`${areaText(area)}${within(sideOfArea(finding))}`]),
  ];
  return parts.join(", ");
}

function spanText({ first, count }: { first: number; count: number }, dash: string): string {
  return count <= 1 ? `frame ${first}` : `frames ${first}${dash}${first + count - 1}`;
}

function fixLines({ fix, fixed }: FindingView, terminal: Terminal): string[] {
  const options = fix === undefined ? [] : fixOptions(fix);
  if (options.length === 0) return [];
  const verb = fixed ? "Fixed with:" : "Fix:";
  return indented(wrap(`${verb} ${options.join(" ")}`, terminal.columns - 2, " ".repeat(verb.length + 1)));
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** Returns the section of a report. `isFixAsked`: the request has `fix`. */
export function findingsSection(
  findings: readonly FindingView[],
  isFixAsked: boolean,
  terminal: Terminal,
): string[] {
  const isIdle = isFixAsked && !findings.some(({ fixed }) => fixed === true);
  return [
    ...(isIdle ? [paint(terminal, "dim", "--fix found nothing certain to repair.")] : []),
    ...listLines(findings, findingLines, terminal),
  ];
}

/** Returns the lines of several findings; those beyond MOST are counted. */
export function listLines(
  findings: readonly FindingView[],
  linesOf: typeof findingLines,
  terminal: Terminal,
): string[] {
  const more = findings.length - MOST;
  return [
    ...findings.slice(0, MOST).flatMap((finding) => linesOf(finding, terminal)),
    ...(more > 0 ? [paint(terminal, "dim", `and ${more} more, which --json prints`)] : []),
  ];
}
