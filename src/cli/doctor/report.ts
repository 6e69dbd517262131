/** The report of a diagnosis, for people. */
import { SIDES } from "../../engine/contract/request.ts";
import { bitRatesText } from "../../jobs/quantities.ts";
import { findingLines } from "../findings/finding-lines.ts";
import { fixOptions } from "../findings/fix-options.ts";
import { shellWord } from "../terminal/escape.ts";
import { rateText } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { outlineLines } from "./outline.ts";
import { timelineLines } from "./timeline.ts";
import type { DiagnosisView } from "./view.ts";

/** File names as the user gave them, and the command that scores them. */
export interface PairNames {
  readonly reference: string;
  readonly distorted: string;
  readonly command: "svc score" | "svc jobs submit";
}

/** Returns the lines of the whole report. */
export function diagnosisReport(diagnosis: DiagnosisView, names: PairNames, terminal: Terminal): string[] {
  const { reference, distorted } = diagnosis;
  const frames = { reference: reference.frames, distorted: distorted.frames };
  const sections = [
    verdict(diagnosis, terminal),
    ...diagnosis.findings.map((finding) => findingLines(finding, terminal)),
    timelineLines({ ...diagnosis, frames }, terminal),
    outlineLines(diagnosis, terminal),
    factLines(diagnosis, terminal),
    commandLines(diagnosis, names, terminal),
  ];
  return sections.filter((section) => section.length > 0).flatMap((section) => [...section, ""]);
}

function verdict({ findings }: DiagnosisView, terminal: Terminal): string[] {
  const [first] = findings;
  if (first !== undefined && first.confidence !== "possible") return [];
  const text = "Nothing is wrong with the pair, as far as it could be checked.";
  return [paint(terminal, "green", text)];
}

interface Fact {
  readonly name: string;
  readonly reference: string;
  readonly distorted: string;
}

/** Returns the properties that the files state, side by side; differences are marked with ≠. */
function factLines({ reference, distorted }: DiagnosisView, terminal: Terminal): string[] {
  const facts = FACTS.map(([name, of]) => ({ name, reference: of(reference), distorted: of(distorted) }));
  const mark = terminal.unicode ? "≠" : "!";
  const isSame = (fact: Fact) => fact.reference === fact.distorted;
  const columns: TableColumn<Fact>[] = [
    { heading: "", atLeast: 1, text: (fact) => (isSame(fact) ? "" : mark) },
    { heading: "Stated by the files", atLeast: 0, text: ({ name }) => name },
    { heading: "reference", atLeast: 0, text: (fact) => fact.reference },
    { heading: "distorted", atLeast: 0, text: (fact) => fact.distorted },
  ];
  return tableLines(facts, columns, terminal, { heading: true });
}

const UNSTATED = "not stated";

const FACTS: readonly (readonly [name: string, text: (media: DiagnosisView["reference"]) => string])[] = [
  ["Container", ({ container }) => container],
  ["Codec", ({ codec }) => codec],
  ["Size", ({ width, height }) => `${width}x${height}`],
  ["Sample aspect ratio", ({ sampleAspectRatio }) => sampleAspectRatio || UNSTATED],
  ["Rotation", ({ rotation }) => `${rotation}°`],
  ["Frames", ({ frames }) => String(frames)],
  ["Frame rate", ({ frameRate }) => rateText(frameRate) ?? UNSTATED],
  ["Pixel format", ({ pixelFormat }) => pixelFormat],
  ["Range", ({ colorRange }) => colorRange || UNSTATED],
  ["Transfer", ({ colorTransfer }) => colorTransfer || UNSTATED],
  ["Primaries", ({ colorPrimaries }) => colorPrimaries || UNSTATED],
  ["Bit rate", (media) => bitRatesText(media) ?? "unknown"],
];

/** The commands that score the pair with every certain fix. */
function commandLines({ fix }: DiagnosisView, names: PairNames, terminal: Terminal): string[] {
  const options = fix === undefined ? [] : fixOptions(fix);
  if (options.length === 0) return [];
  const command = `${names.command} ${SIDES.map((side) => shellWord(names[side])).join(" ")}`;
  return [
    paint(terminal, "dim", "To score the pair with every certain fix"),
    `  ${command} ${options.join(" ")}`,
    paint(terminal, "dim", "To find and apply these fixes before scoring"),
    `  ${command} --fix`,
  ];
}
