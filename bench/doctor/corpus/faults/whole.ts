/** Faults of whole videos: another video, swapped sides, no picture, no difference. */
import { CONTENTS } from "../contents.ts";
import { type Fault, recipe } from "../fault.ts";
import { consecutive } from "../truth.ts";

const otherContent: Fault = (given) => {
  const { draw, scene } = given;
  const enough = CONTENTS.filter(({ name, frames, ambiguous }) => {
    return name !== scene.content.name && frames >= scene.frames && !ambiguous;
  });
  const content = draw.one(enough);
  return recipe(
    given,
    { distorted: { scene: { content, seed: draw.integer(1, 1e9) } } },
    {
      ...{ expected: [["OTHER_CONTENT"]], allowed: ["LEVELS_DIFFER", "BLACK", "FROZEN"] },
      parameters: { other: content.name },
    },
  );
};

/** The distorted side shows a later part of the same scene: similar pictures, but no common frame. */
const laterPart: Fault = (given) => {
  const frames = Math.floor(given.scene.frames * 0.6);
  return recipe(
    given,
    {
      reference: { frames: consecutive(0, frames) },
      distorted: { frames: consecutive(frames, frames) },
    },
    {
      ...{ expected: [["OTHER_CONTENT"]], allowed: ["LEVELS_DIFFER"], runs: undefined, ambiguous: true },
      parameters: { frames },
    },
  );
};

const swapped: Fault = (given) => {
  const treatment = { ...given.treatment, crf: Math.max(30, given.treatment.crf) };
  return recipe(
    given,
    { reference: { treatment }, distorted: { treatment: undefined } },
    { expected: [["SIDES_SWAPPED"]], allowed: ["LEVELS_DIFFER"], parameters: {} },
  );
};

const black: Fault = (given) => {
  const side = given.draw.one(["distorted", "reference"] as const);
  return recipe(
    given,
    { [side]: { filters: ["lutyuv=y=16:u=128:v=128"] } },
    {
      ...{ expected: [["BLACK"]], allowed: ["FROZEN", "OTHER_CONTENT", "LEVELS_DIFFER"], runs: undefined },
      parameters: { side },
    },
  );
};

const frozenSide: Fault = (given) => {
  const side = given.draw.one(["distorted", "reference"] as const);
  const { frames } = given.scene;
  const shown = given.draw.integer(0, frames - 1);
  return recipe(
    given,
    { [side]: { frames: Array<number>(frames).fill(shown) } },
    {
      ...{ expected: [["FROZEN"]], allowed: ["OTHER_CONTENT", "FRAMES_DROPPED", "FRAMES_DUPLICATED"] },
      ...{ runs: undefined, parameters: { side, shown } },
    },
  );
};

/** The reference itself, or a copy of it in another file. */
const identical: Fault = (given) => {
  const made = recipe(given, {}, { expected: [["IDENTICAL"]], allowed: [], parameters: {} });
  const reference = { ...made.reference, treatment: { ...given.treatment, ...PLAIN } };
  return { ...made, reference, distorted: "same file", truth: { ...made.truth, allowed: [] } };
};

const PLAIN = { scale: 1, gamma: 1, grain: 0 };

export const WHOLE_FAULTS: Readonly<Record<string, Fault>> = {
  ...{ "other-content": otherContent, "later-part": laterPart, swapped, black, "frozen-side": frozenSide },
  ...{ identical },
};
