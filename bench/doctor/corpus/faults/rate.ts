/** Faults of the frame rate: the same scene with more or fewer frames, or at another speed. */
import { type Fault, type Given, recipe, type Scene, type SideRecipe } from "../fault.ts";
import { consecutive } from "../truth.ts";

/** Both sides' rates, and the frames of the scene that the distorted side shows. */
interface Conversion {
  readonly from: string;
  readonly to: string;
  readonly frames: (frames: number) => readonly number[];
}

function sampled(from: number, to: number): Conversion["frames"] {
  return (frames) =>
    Array.from({ length: Math.floor((frames * to) / from) }, (_, index) => Math.floor((index * from) / to));
}

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  "25-to-50": { from: "25", to: "50", frames: sampled(25, 50) },
  "50-to-25": { from: "50", to: "25", frames: sampled(50, 25) },
  "24-to-30": { from: "24", to: "30", frames: sampled(24, 30) },
  "30-to-25": { from: "30", to: "25", frames: sampled(30, 25) },
  "60-to-30": { from: "60", to: "30", frames: sampled(60, 30) },
  /** Every frame, but slower or faster. */
  "24-as-23.976": { from: "24", to: "24000/1001", frames: (frames) => consecutive(0, frames) },
  "23.976-as-25": { from: "24000/1001", to: "25", frames: (frames) => consecutive(0, frames) },
};

const RATE_DIFFERS = {
  expected: [["RATE_DIFFERS", "FRAME_RATE_MISMATCH"]],
  allowed: ["RATE_DIFFERS", "FRAMES_DROPPED", "FRAMES_DUPLICATED", "TRIMMED", "FROZEN"],
};

const converted: Fault = (given) => {
  const name = given.draw.one(Object.keys(CONVERSIONS));
  const { from, to, frames } = CONVERSIONS[name] as Conversion;
  return recipe(
    given,
    { reference: { rate: from }, distorted: { rate: to, frames: frames(given.scene.frames) } },
    { ...RATE_DIFFERS, parameters: { conversion: name } },
  );
};

/** Four frames become ten fields, which make five frames. Two of these have fields of different frames. */
const telecine: Fault = (given) => {
  const rates = { reference: "24000/1001", distorted: "30000/1001" };
  const top = given.draw.chance(0.5) ? "top" : "bottom";
  return recipe(
    given,
    {
      reference: { rate: rates.reference },
      distorted: {
        rate: rates.reference,
        filters: [`telecine=first_field=${top}`],
        ...interlacedOutput(given),
      },
    },
    {
      expected: [["RATE_DIFFERS", "FRAME_RATE_MISMATCH", "INTERLACED"]],
      allowed: [...RATE_DIFFERS.allowed, "INTERLACED"],
      runs: undefined,
      frames: {
        reference: given.scene.frames,
        distorted: Math.floor((given.scene.frames * 5) / 4),
      },
      parameters: { first: top },
    },
  );
};

/** A treatment that does not change the lines: no scaling, and an encoder and CRF that keep them. */
function interlacedOutput({ treatment }: Given) {
  return { treatment: { ...treatment, codec: "x264" as const, scale: 1, crf: Math.min(35, treatment.crf) } };
}

/** Each frame has the lines of two frames. The tags state it or do not. */
const interlaced: Fault = (given) => {
  const { draw, scene } = given;
  const frames = consecutive(0, Math.floor(scene.frames / 2) * 2);
  const first = draw.one(["tff", "bff"]);
  const tagged = draw.chance(0.5);
  const double = doubleRate(scene.rate);
  const tag = tagged ? `setfield=${first}` : "setfield=prog";
  const even = encodableLines(scene, tagged);
  return recipe(
    given,
    {
      reference: { frames: frames.filter((frame) => frame % 2 === 0), ...even },
      distorted: {
        ...{ frames, rate: double, ...even },
        filters: [...even.filters, weave(first), tag],
        ...interlacedOutput(given),
        output: tagged ? ["-flags", "+ildct+ilme"] : [],
      },
    },
    {
      ...{ expected: [["INTERLACED"]], runs: undefined, parameters: { first, tagged: String(tagged) } },
      frames: { reference: frames.length / 2, distorted: frames.length / 2 },
    },
  );
};

/** Each frame of both sides shows two moments, in opposite field orders. */
const fieldOrder: Fault = (given) => {
  const { draw, scene } = given;
  const frames = consecutive(0, Math.floor(scene.frames / 2) * 2);
  const [first, other] = draw.chance(0.5) ? (["tff", "bff"] as const) : (["bff", "tff"] as const);
  const both = { frames, rate: doubleRate(scene.rate) };
  return recipe(
    given,
    {
      reference: { ...both, filters: [weave(first)] },
      distorted: { ...both, filters: [weave(other)], ...interlacedOutput(given) },
    },
    {
      ...{ expected: [["FIELD_ORDER_DIFFERS"]], runs: undefined, parameters: { first } },
      frames: { reference: frames.length / 2, distorted: frames.length / 2 },
    },
  );
};

/** Field encoders need whole blocks of chroma in each field, so the height is cut to a multiple of four. */
function encodableLines({ width, height }: Scene, tagged: boolean): Pick<SideRecipe, "filters" | "size"> {
  const lines = tagged ? height - (height % 4) : height;
  const filters = lines === height ? [] : [`crop=${width}:${lines}:0:0`];
  return { filters, size: { width, height: lines } };
}

/** Makes one frame from two. The lines of the first are the first field. */
function weave(first: string): string {
  return `tinterlace=interleave_${first === "tff" ? "top" : "bottom"}`;
}

function doubleRate(rate: string): string {
  const [numerator = "25", denominator = "1"] = rate.split("/");
  return `${2 * Number(numerator)}/${denominator}`;
}

export const RATE_FAULTS: Readonly<Record<string, Fault>> = {
  ...{ rate: converted, telecine, interlaced, "field-order": fieldOrder },
};
