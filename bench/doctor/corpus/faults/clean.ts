/** Pairs without a fault: every finding about them is a false alarm. */
import { type Fault, recipe } from "../fault.ts";
import { nearSize } from "./space.ts";

const NONE = { expected: [] };

const clean: Fault = (given) => recipe(given, {}, NONE);

/** Both sides with the same bars. */
const bothBars: Fault = (given) => {
  const { width, height } = given.scene;
  const y = 2 * Math.round(height * given.draw.number(0.03, 0.07));
  const filters = [`crop=${width}:${height - 2 * y}`, `pad=${width}:${height}:0:${y}`];
  return recipe(given, { reference: { filters }, distorted: { filters } }, { ...NONE, parameters: { y } });
};

const near: Fault = (given) => {
  const changed = nearSize(given);
  return recipe(given, { distorted: changed }, { ...NONE, parameters: { height: changed.size.height } });
};

export const CLEAN: Readonly<Record<string, Fault>> = {
  clean,
  "clean-bars": bothBars,
  "clean-near-size": near,
};
