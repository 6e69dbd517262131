/** Faults in time: frames that are missing, shown twice, late or early. */
import type { Fault, Given } from "../fault.ts";
import { recipe } from "../fault.ts";
import { consecutive, repeating, without } from "../truth.ts";

/** Draws an offset of at most a quarter of the clip. Small ones are more probable. */
function drawOffset({ draw, scene }: Given): number {
  const most = Math.floor(scene.frames / 4);
  const frames = draw.chance(0.3) ? draw.integer(1, 3) : Math.ceil(most * draw.number(0, 1) ** 2);
  return Math.min(most, Math.max(1, frames));
}

/** Both sides have the same length, but the distorted one begins earlier or later. */
const constantOffset: Fault = (given) => {
  const offset = drawOffset(given);
  const { frames } = given.scene;
  const late = given.draw.chance(0.5);
  const [reference, distorted] = late ? [offset, 0] : [0, offset];
  return recipe(
    given,
    {
      reference: { frames: consecutive(reference, frames) },
      distorted: { frames: consecutive(distorted, frames) },
    },
    { expected: [["OFFSET"]], allowed: ["TRIMMED"], parameters: { offset: late ? offset : -offset } },
  );
};

/** One side has frames at its beginning that the other lacks; both end together. */
const startMissing: Fault = (given) => {
  const offset = drawOffset(given);
  const { frames } = given.scene;
  const late = given.draw.chance(0.5);
  const shorter = { frames: consecutive(offset, frames - offset) };
  return recipe(given, late ? { reference: shorter } : { distorted: shorter }, {
    ...{ expected: [["OFFSET", "TRIMMED"]], allowed: [] },
    parameters: { offset: late ? offset : -offset },
  });
};

const trimmed: Fault = (given) => {
  const { draw, scene } = given;
  const [head, tail] = [draw.integer(1, scene.frames / 8), draw.integer(1, scene.frames / 8)];
  const inner = { frames: consecutive(head, scene.frames - head - tail) };
  const side = draw.one(["reference", "distorted", "distorted"] as const);
  return recipe(
    given,
    { [side]: inner },
    {
      ...{ expected: [["TRIMMED", "OFFSET"]], allowed: ["TRIMMED", "OFFSET"] },
      parameters: { side, head, tail },
    },
  );
};

function middle({ scene }: Given, apart: number): { low: number; high: number; apart: number } {
  const edge = Math.ceil(scene.frames / 8);
  return { low: edge, high: scene.frames - 1 - edge, apart };
}

function drawEvents(given: Given): number[] {
  return given.draw.places(given.draw.integer(1, 4), middle(given, Math.ceil(given.scene.frames / 10)));
}

const DROPPED = { expected: [["FRAMES_DROPPED"]] };
const DUPLICATED = { expected: [["FRAMES_DUPLICATED"]], allowed: ["FROZEN"] };

const drops: Fault = (given) => {
  const at = drawEvents(given);
  const frames = without(consecutive(0, given.scene.frames), at);
  return recipe(given, { distorted: { frames } }, { ...DROPPED, parameters: { at: at.join(" ") } });
};

/** Frames are missing, but the distorted side is as long as the reference. */
const dropsEqual: Fault = (given) => {
  const at = drawEvents(given);
  const frames = without(consecutive(0, given.scene.frames + at.length), at);
  return recipe(given, { distorted: { frames } }, { ...DROPPED, parameters: { at: at.join(" ") } });
};

/** A stretch of 2 to 12 frames is missing. */
const longDrop: Fault = (given) => {
  const length = given.draw.integer(2, 12);
  const first = given.draw.integer(middle(given, 1).low, middle(given, 1).high - length);
  const more = given.draw.chance(0.5) ? length : 0;
  const frames = without(consecutive(0, given.scene.frames + more), consecutive(first, length));
  return recipe(given, { distorted: { frames } }, { ...DROPPED, parameters: { first, length } });
};

const duplicates: Fault = (given) => {
  const at = drawEvents(given);
  const frames = repeating(consecutive(0, given.scene.frames), at);
  return recipe(given, { distorted: { frames } }, { ...DUPLICATED, parameters: { at: at.join(" ") } });
};

const duplicatesEqual: Fault = (given) => {
  const at = drawEvents(given);
  const frames = repeating(consecutive(0, given.scene.frames), at).slice(0, given.scene.frames);
  return recipe(given, { distorted: { frames } }, { ...DUPLICATED, parameters: { at: at.join(" ") } });
};

/** A dropped and, elsewhere, a duplicated frame. The counts are equal, but the frames between are not in step. */
const dropAndDuplicate: Fault = (given) => {
  const places = given.draw.places(2, middle(given, Math.ceil(given.scene.frames / 8)));
  const [drop = 0, duplicate = 0] = given.draw.chance(0.5) ? places : places.toReversed();
  const all = consecutive(0, given.scene.frames);
  const frames = without(repeating(all, [duplicate]), [drop > duplicate ? drop + 1 : drop]);
  return recipe(
    given,
    { distorted: { frames } },
    {
      ...{ expected: [["FRAMES_DROPPED"], ["FRAMES_DUPLICATED"]], allowed: ["FROZEN"] },
      parameters: { drop, duplicate },
    },
  );
};

const offsetAndDrops: Fault = (given) => {
  const offset = drawOffset(given);
  const at = drawEvents(given).filter((place) => place > offset + 8);
  const kept = without(consecutive(0, given.scene.frames), at);
  const late = given.draw.chance(0.5);
  const reference = consecutive(late ? offset : 0, given.scene.frames - (late ? offset : 0));
  return recipe(
    given,
    { reference: { frames: reference }, distorted: { frames: late ? kept : kept.slice(offset) } },
    {
      expected: [["OFFSET", "TRIMMED"], ...(at.length === 0 ? [] : DROPPED.expected)],
      allowed: ["TRIMMED"],
      parameters: { offset: late ? offset : -offset, at: at.join(" ") },
    },
  );
};

/** One picture stays for 5 to 25 frames. After it, the sides are in step again. */
const freeze: Fault = (given) => {
  const length = given.draw.integer(5, Math.min(25, given.scene.frames / 4));
  const first = given.draw.integer(middle(given, 1).low, middle(given, 1).high - length);
  const frames = consecutive(0, given.scene.frames).map((frame) =>
    frame > first && frame < first + length ? first : frame,
  );
  return recipe(
    given,
    { distorted: { frames } },
    {
      ...{ expected: [["FROZEN"]], allowed: ["FRAMES_DROPPED", "FRAMES_DUPLICATED"] },
      ...{ span: { side: "distorted", first, count: length }, parameters: { first, length } },
    },
  );
};

/** Frames are repeated. The later frames are delayed, or the repetition replaces some of them. */
const repeated: Fault = (given) => {
  const length = given.draw.integer(8, given.scene.frames / 6);
  const first = given.draw.integer(middle(given, 1).low, middle(given, 1).high - 2 * length);
  const covers = given.draw.chance(0.5);
  const all = consecutive(0, given.scene.frames);
  const after = first + length;
  const rest = all.slice(covers ? after + length : after);
  const frames = [...all.slice(0, after), ...consecutive(first, length), ...rest];
  return recipe(
    given,
    { distorted: { frames } },
    {
      ...{ expected: [["REPEATED"]], allowed: ["FRAMES_DROPPED", "FRAMES_DUPLICATED"] },
      ...{
        span: { side: "distorted", first: after, count: length },
        parameters: { first, length, covers: String(covers) },
      },
    },
  );
};

/** Frames are missing, but the time stamps of the others are unchanged. */
const gap: Fault = (given) => {
  const length = given.draw.integer(2, given.scene.frames / 6);
  const first = given.draw.integer(middle(given, 1).low, middle(given, 1).high - length);
  const frames = without(consecutive(0, given.scene.frames), consecutive(first, length));
  const filters = [`setpts='round((N+gte(N,${first})*${length})/(${given.scene.rate})/TB)'`];
  return recipe(
    given,
    { distorted: { frames, filters } },
    {
      ...{ expected: [["TIMESTAMP_GAP", "FRAMES_DROPPED"]], allowed: ["TIMESTAMP_GAP", "FRAMES_DROPPED"] },
      ...{ span: { side: "reference", first, count: length }, parameters: { first, length } },
    },
  );
};

export const TIME_FAULTS: Readonly<Record<string, Fault>> = {
  ...{ offset: constantOffset, "start-missing": startMissing, trimmed, drops, "drops-equal": dropsEqual },
  ...{ "long-drop": longDrop, duplicates, "duplicates-equal": duplicatesEqual },
  ...{ "drop-and-duplicate": dropAndDuplicate, "offset-and-drops": offsetAndDrops, freeze, repeated, gap },
};
