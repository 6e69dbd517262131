/** Faults of the samples: range, matrix, gain and offset. */
import { type Fault, type Given, recipe } from "../fault.ts";
import type { Treatment } from "../treatment.ts";

/** Replaces MPEG-2, whose encoder converts pictures that are tagged as full range. */
const taggable = ({ treatment }: Given): Treatment => {
  return treatment.codec === "mpeg2" ? { ...treatment, codec: "x264" } : treatment;
};

/** Samples of one range with the tag of the other, or with none. */
const range: Fault = (given) => {
  const { draw } = given;
  const side = draw.one(["distorted", "distorted", "reference"] as const);
  const [samples, tag] = draw.one([
    ...([
      ["full", "unknown"],
      ["full", "limited"],
      ["limited", "full"],
    ] as const),
  ]);
  const convert = samples === "full" ? ["scale=in_range=limited:out_range=full"] : [];
  const distorted = { treatment: taggable(given) };
  const changed = { filters: [...convert, `setparams=range=${tag}`] };
  return recipe(
    given,
    side === "reference" ? { reference: changed, distorted } : { distorted: { ...distorted, ...changed } },
    {
      ...{
        expected: [["RANGE_DIFFERS"]],
        allowed: ["LEVELS_DIFFER"],
        repair: { rangeOf: { [side]: samples === "full" ? "FULL" : "LIMITED" } },
      },
      parameters: { side, samples, tag },
    },
  );
};

const matrix: Fault = (given) => {
  const side = given.draw.one(["distorted", "distorted", "reference"] as const);
  const tag = given.draw.one(["unknown", "bt709"]);
  const filters = [
    "scale=in_color_matrix=bt709:out_color_matrix=smpte170m:in_range=limited:out_range=limited",
    `setparams=colorspace=${tag}`,
  ];
  return recipe(
    given,
    { [side]: { filters } },
    {
      ...{ expected: [["MATRIX_DIFFERS"]], repair: { matrixOf: { [side]: "BT601" } } },
      parameters: { side, tag },
    },
  );
};

const levels: Fault = (given) => {
  const gain = given.draw.one([0.85, 0.9, 0.94, 1.06, 1.12]);
  const offset = given.draw.one([-12, -8, -5, 5, 8, 12]);
  const filters = [`lutyuv=y='clip((val-16)*${gain}+16+${offset},0,255)'`];
  return recipe(
    given,
    { distorted: { filters } },
    { expected: [["LEVELS_DIFFER"]], parameters: { gain, offset } },
  );
};

export const SAMPLE_FAULTS: Readonly<Record<string, Fault>> = { range, matrix, levels };
