/** The lines of a report about a model: which one was used, why, and how it was applied. */
import { modelFacts, type ScoredModel, usedModel } from "../../jobs/scored-models.ts";
import { printable } from "../terminal/escape.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

const LABEL = "Model      ";

export function modelLines(scored: ScoredModel, terminal: Terminal): string[] {
  const { model, reason = "" } = scored;
  const name = usedModel(scored);
  const asked = name === model ? "" : `${model}: `;
  const separator = terminal.unicode ? " · " : ", ";
  const indent = " ".repeat(LABEL.length);
  const line = `${LABEL}${asked}${[name, ...modelFacts(scored)].join(separator)}`;
  const why = reason === "" ? [] : wrap(printable(reason), terminal.columns - LABEL.length);
  return [...wrap(printable(line), terminal.columns, indent), ...why.map((text) => indent + text)];
}
