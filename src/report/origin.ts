/** How to reproduce a comparison: settings, programs, and what to type. */
import type { components } from "../gen/rest/controller.ts";
import { requestedModels } from "../jobs/default-models.ts";
import { LIBVMAF_NOTE, scorersOf } from "../jobs/scored-apart.ts";
import { csvRow } from "../jobs/text/csv-row.ts";
import { escaped } from "./markup.ts";

type Comparison = components["schemas"]["Comparison"];
type Settings = Comparison["settings"];
type Tables = Comparison & Required<Pick<Comparison, "cells">>;

/** Settings that are options of the command, or that do not affect the scores. */
const HANDLED = new Set([
  "model",
  "models",
  "features",
  "subsample",
  "name",
  "labels",
  "priority",
  "noCache",
]);

export function* origin(
  { id, settings, createTime, cells, anchor }: Tables,
  version: string,
): Generator<string> {
  const scorers = new Set(
    cells.flatMap(({ scorer }) =>
      scorer ? `${scorer.program} ${scorer.version} with libvmaf ${scorer.libvmafVersion}` : [],
    ),
  );
  yield `<h2>How to reproduce</h2>\n<p>Comparison ${escaped(id)}, written by svc ${escaped(version)}. It was submitted at ${escaped(createTime)}. Scored by ` +
    `${escaped([...scorers].join("; ") || "nothing yet")}.${scorersOf(cells).length > 0 ? ` ${LIBVMAF_NOTE}` : ""}</p>\n`;
  yield `<p>${modelsText(settings)}</p>\n`;
  yield `<p>Settings:</p>\n<pre>${escaped(JSON.stringify(settings, null, 2))}</pre>\n`;
  const others = Object.keys(settings).filter((name) => !HANDLED.has(name));
  const added = others.length === 0 ? "" : `, with options for ${escaped(others.join(", "))}`;
  const pairs = [["reference", "distorted", "ladder", "clip"], ...cells.map(rowOf)];
  yield `<p>Encodes, for <code>${escaped(commandOf(settings, anchor))}</code>${added}, and ` +
    `<code>POST /v1/comparisons</code>:</p>\n<pre class="list">${escaped(pairs.map(csvRow).join(""))}</pre>\n`;
}

/** "Models: v1, v1-phone.", "Model: vmaf_v0.6.1, the default." */
function modelsText(settings: Settings): string {
  const names = requestedModels(settings);
  const isDefault = !settings.model && (settings.models ?? []).length === 0;
  return `${names.length > 1 ? "Models" : "Model"}: ${escaped(names.join(", "))}${isDefault ? ", the default" : ""}.`;
}

/** Names also the default model: the default of a tenant, or of another version, can be another one. */
function commandOf(settings: Settings, anchor: string): string {
  const { features = [], subsample } = settings;
  return [
    "svc compare --from encodes.csv",
    ...requestedModels(settings).map((name) => `--model ${name}`),
    ...(features.length === 0 ? [] : [`--metric ${features.join(",")}`]),
    ...(subsample === undefined ? [] : [`--subsample ${subsample}`]),
    ...(anchor === "" ? [] : [`--anchor ${JSON.stringify(anchor)}`]),
  ].join(" ");
}

function rowOf({ reference, distorted, ladder, clip }: Tables["cells"][number]): readonly string[] {
  return [reference, distorted, ladder, clip];
}
