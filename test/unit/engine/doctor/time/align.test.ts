import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alignTime, type TimeRelation } from "../../../../../src/engine/doctor/time/align.ts";
import { MIRRORED_HORIZONTALLY } from "../../../../../src/engine/doctor/time/view.ts";
import { LUMA, type Pictures } from "../../../../../src/engine/media/pictures.ts";
import { picturesOf, span, type Treatment } from "./moving-texture.ts";

const SCENE = 5;
const REFERENCE = span(40, 100);
const PICTURES = picturesOf(SCENE, REFERENCE);

/** Aligns a video of the moments 40 to 139 with one of the given moments and different noise. */
function aligned(moments: readonly number[], treatment: Treatment = {}): TimeRelation {
  return alignTime(PICTURES, picturesOf(SCENE, moments, { seed: 2, ...treatment }));
}

const runsOf = ({ runs }: TimeRelation) =>
  runs.map(({ reference, distorted, count }) => [reference, distorted, count]);

/** A still scene; another one moves in a part of it. */
function talking(moments: readonly number[], seed: number): Pictures {
  const room = picturesOf(
    SCENE,
    moments.map(() => 0),
    { seed },
  );
  const head = picturesOf(SCENE + 1, moments, { seed });
  for (let index = 0; index < moments.length; index++)
    for (let row = 50; row < 80; row++) {
      const from = row * LUMA.width + 100;
      room.luma(index).set(head.luma(index).subarray(from, from + 40), from);
    }
  return room;
}

/** The moments, and grey pictures after them. Of the grey ones, the first `faint` still show a trace of a picture. */
function fadedOut(
  moments: readonly number[],
  count: number,
  { seed = 1, faint = 0 }: { seed?: number; faint?: number } = {},
): Pictures {
  const pictures = picturesOf(SCENE, [...moments, ...span(0, count - moments.length)], { seed });
  for (let index = moments.length; index < count; index++) {
    const luma = pictures.luma(index);
    const part = index < moments.length + faint ? TRACE : 0;
    for (const [place, level] of luma.entries()) luma[place] = 110 + part * (level - 128);
  }
  return pictures;
}

/** Contrast of a trace, as a part of the picture's. */
const TRACE = 0.02;

/** Kind, first frame and number of frames of each event. */
const eventsOf = ({ events }: TimeRelation) =>
  events.map(({ kind, frames }) => [kind, frames.first, frames.count]);

describe("frames with the same number", () => {
  test("a pair in step is aligned, certain, and checked", () => {
    const relation = aligned(REFERENCE);
    assert.equal(relation.state, "aligned");
    assert.deepEqual(runsOf(relation), [[0, 0, 100]]);
    assert.deepEqual(relation.events, []);
    assert.deepEqual(relation.tied, []);
    assert.ok(relation.checked > 0.9 && relation.match > 0.8);
  });
  test("a mirrored picture is aligned through its view", () => {
    const pictures = picturesOf(SCENE, span(43, 100), { seed: 2, mirror: true });
    const relation = alignTime(PICTURES, pictures, { view: MIRRORED_HORIZONTALLY });
    assert.equal(relation.state, "shifted");
    assert.deepEqual(runsOf(relation), [[3, 0, 97]]);
  });
});

describe("offsets and trims", () => {
  for (const [name, first, count, run] of [
    ["the distorted video lacks the first frames", 47, 100, [7, 0, 93]],
    ["the distorted video starts earlier", 33, 100, [0, 7, 93]],
    ["a single frame is missing at the start", 41, 99, [1, 0, 99]],
    ["both ends are missing", 52, 70, [12, 0, 70]],
    ["the distorted video goes on at both ends", 30, 125, [0, 10, 100]],
  ] as const)
    test(name, () => {
      const relation = aligned(span(first, count));
      assert.equal(relation.state, "shifted");
      assert.equal(relation.confidence, "certain");
      assert.deepEqual(runsOf(relation), [run]);
      assert.deepEqual(relation.events, []);
    });
  test("an offset of more than a quarter of the video is found if the limit allows it", () => {
    const pictures = [PICTURES, picturesOf(SCENE, span(80, 100), { seed: 2 })] as const;
    assert.deepEqual(runsOf(alignTime(...pictures, { limit: 60 })), [[40, 0, 60]]);
  });
});

describe("events", () => {
  test("finds dropped frames if the counts differ", () => {
    const relation = aligned([...span(40, 50), ...span(93, 47)]);
    assert.deepEqual(runsOf(relation), [
      [0, 0, 50],
      [53, 50, 47],
    ]);
    assert.deepEqual(eventsOf(relation), [["dropped", 50, 3]]);
    const [{ earliest, latest, side } = assert.fail()] = relation.events;
    assert.deepEqual({ earliest, latest, side }, { earliest: 50, latest: 50, side: "reference" });
  });
  test("finds a long gap shortly before the end, where few frames show it", () => {
    const relation = aligned([...span(40, 70), ...span(125, 15)]);
    assert.equal(relation.confidence, "certain");
    assert.deepEqual(runsOf(relation), [
      [0, 0, 70],
      [85, 70, 15],
    ]);
  });
  test("finds one dropped frame if the counts are equal", () => {
    const relation = aligned([...span(40, 60), ...span(101, 40)]);
    assert.deepEqual(eventsOf(relation), [["dropped", 60, 1]]);
    assert.equal(relation.state, "shifted");
  });
  test("finds a dropped frame that a duplicate makes up for", () => {
    const relation = aligned([...span(40, 30), ...span(71, 40), 110, ...span(111, 29)]);
    assert.deepEqual(
      relation.events.map(({ kind }) => kind),
      ["dropped", "duplicated"],
    );
    assert.deepEqual(
      relation.runs.map(({ reference, distorted }) => distorted - reference),
      [0, -1, 0],
    );
  });
  test("finds a duplicated frame that shifts the later ones", () => {
    const relation = aligned([...span(40, 50), 89, ...span(90, 50)]);
    assert.deepEqual(
      relation.events.map(({ kind, side, frames }) => [kind, side, frames.count]),
      [["duplicated", "distorted", 1]],
    );
    const [{ earliest, latest } = assert.fail()] = relation.events;
    assert.ok(earliest <= 50 && 50 <= latest && latest - earliest <= 1);
  });
  test("a picture that stands still and catches up leaves the pair aligned", () => {
    const relation = aligned([...span(40, 40), ...span(80, 12).map(() => 79), ...span(92, 48)], { noise: 0 });
    assert.equal(relation.state, "aligned");
    assert.deepEqual(eventsOf(relation), [["frozen", 40, 12]]);
  });
  test("a picture that an encode refines at first is frozen from its first frame on", () => {
    const held = [79.32, 79, 79.32, ...span(0, 9).map(() => 79)];
    const relation = aligned([...span(40, 40), ...held, ...span(92, 48)], { noise: 0 });
    assert.equal(relation.state, "aligned");
    assert.deepEqual(eventsOf(relation), [["frozen", 40, 12]]);
  });
  test("a picture that stands still while all content leaves the frame is frozen", () => {
    const fast = (moments: readonly number[]) =>
      picturesOf(
        SCENE,
        moments.map((moment) => 40 * moment),
        { noise: 0 },
      );
    const held = span(80, 12).map(() => 79);
    const relation = alignTime(fast(REFERENCE), fast([...span(40, 40), ...held, ...span(92, 48)]));
    assert.equal(relation.state, "aligned");
    assert.deepEqual(eventsOf(relation), [["frozen", 40, 12]]);
  });
  test("a picture that stands still under noise is frozen from its first frame on", () => {
    const held = span(80, 12).map(() => 79);
    const relation = aligned([...span(40, 40), ...held, ...span(92, 48)], { noise: 12 });
    assert.equal(relation.state, "aligned");
    assert.deepEqual(eventsOf(relation), [["frozen", 40, 12]]);
  });
  test("finds earlier frames that replace later ones", () => {
    const relation = aligned([...span(40, 50), ...span(60, 20), ...span(110, 30)]);
    assert.equal(relation.state, "aligned");
    assert.deepEqual(eventsOf(relation), [["repeated", 50, 20]]);
  });
  test("finds earlier frames shown again in a part of a still picture", () => {
    const moments = [...span(40, 50), ...span(60, 20), ...span(110, 30)];
    const relation = alignTime(talking(REFERENCE, 3), talking(moments, 4));
    assert.equal(relation.state, "aligned");
    assert.deepEqual(
      relation.events.map(({ kind }) => kind),
      ["repeated"],
    );
    const { first = 0, count = 0 } = relation.events[0]?.frames ?? {};
    assert.ok(Math.abs(first - 50) <= 2 && Math.abs(first + count - 70) <= 2, `${first}, ${count}`);
  });
  test("finds nothing in a still picture of which a part moves in step", () => {
    assert.deepEqual(alignTime(talking(REFERENCE, 3), talking(REFERENCE, 4)).events, []);
  });
  test("finds earlier frames shown again before a fade-out", () => {
    const shown = [...span(40, 20), ...span(45, 15), ...span(75, 5)];
    const relation = alignTime(fadedOut(span(40, 40), 100), fadedOut(shown, 100, { seed: 2 }));
    assert.equal(relation.state, "aligned");
    assert.deepEqual(eventsOf(relation), [["repeated", 20, 15]]);
  });
  test("finds earlier frames shown again that shift the later ones", () => {
    const relation = aligned([...span(40, 50), ...span(80, 10), ...span(90, 50)]);
    assert.deepEqual(
      relation.events.map(({ kind, frames }) => [kind, frames.count]),
      [["repeated", 10]],
    );
  });
  test("of two copies of frames the later is the repetition, even if the earlier is encoded worse", () => {
    const moments = [...span(40, 50), ...span(80, 10), ...span(90, 50)];
    const [good, bad] = [3, 4].map((noise) => picturesOf(SCENE, moments, { seed: 2, noise }));
    if (good === undefined || bad === undefined) assert.fail();
    for (let index = 40; index < 50; index++) good.luma(index).set(bad.luma(index));
    assert.deepEqual(eventsOf(alignTime(PICTURES, good)), [["repeated", 50, 10]]);
  });
});

describe("what pictures cannot show", () => {
  test("all offsets fit a still scene; equal counts are aligned", () => {
    const still = REFERENCE.map(() => 40);
    const relation = alignTime(picturesOf(SCENE, still), picturesOf(SCENE, still, { seed: 2 }));
    assert.equal(relation.state, "aligned");
    assert.equal(relation.checked, 0);
    assert.ok(relation.tied.length > 20);
  });
  test("plain frames at the end do not show where frames were added, however many", () => {
    const relation = alignTime(fadedOut(span(40, 50), 100), fadedOut(span(40, 50), 140, { seed: 2 }));
    assert.deepEqual([relation.state, relation.open], ["shifted", { first: 0, last: 50 }]);
  });
  test("a trace of a picture that an encode keeps after a fade moves no frames", () => {
    const faded = fadedOut([...span(30, 10), ...span(40, 50)], 100, { seed: 2, faint: 25 });
    const relation = alignTime(fadedOut(span(40, 50), 100), faded);
    assert.deepEqual([relation.state, relation.confidence, relation.tied], ["shifted", "certain", []]);
    assert.deepEqual(runsOf(relation), [[0, 10, 90]]);
  });
  test("a still scene with different counts is unclear", () => {
    const still = REFERENCE.map(() => 40);
    const relation = alignTime(picturesOf(SCENE, still), picturesOf(SCENE, still.slice(6), { seed: 2 }));
    assert.equal(relation.state, "unclear");
    assert.ok(relation.tied.includes(-6) || relation.runs[0]?.reference === 6);
  });
  test("offsets that differ by the period of a loop fit equally well", () => {
    const loop = (first: number) => REFERENCE.map((_, index) => 40 + ((first + index) % 20));
    const relation = alignTime(picturesOf(SCENE, loop(0)), picturesOf(SCENE, loop(5), { seed: 2 }));
    assert.equal(relation.state, "unclear");
    const offsets = [
      ...relation.tied,
      ...relation.runs.map(({ reference, distorted }) => distorted - reference),
    ];
    assert.ok(offsets.includes(-5) && offsets.includes(15));
  });
  test("other content is unclear and matches nothing", () => {
    const relation = alignTime(PICTURES, picturesOf(SCENE + 1, REFERENCE));
    assert.equal(relation.state, "unclear");
    assert.ok(relation.match < 0.1);
  });
  test("a few frames cannot be aligned", () => {
    const relation = alignTime(picturesOf(SCENE, span(0, 5)), picturesOf(SCENE, span(0, 5)));
    assert.deepEqual([relation.state, relation.checked], ["unclear", 0]);
  });
  test("no frames cannot be aligned", () => {
    assert.equal(alignTime(picturesOf(SCENE, []), PICTURES).state, "unclear");
  });
});
