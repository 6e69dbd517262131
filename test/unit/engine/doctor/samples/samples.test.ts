import assert from "node:assert/strict";
import { test } from "node:test";
import { blockMeansOf } from "../../../../../src/engine/doctor/samples/block-means.ts";
import { isPlain, levelFindings } from "../../../../../src/engine/doctor/samples/levels.ts";
import { matrixFindings, withMistakes } from "../../../../../src/engine/doctor/samples/matrix.ts";
import { IDENTITY } from "../../../../../src/engine/doctor/space/view.ts";
import { random } from "../../../random.ts";
import { pictures, type Scene, waves } from "../scene.ts";

type Colours = readonly [y: number, u: number, v: number];

const chroma =
  (scene: Scene): Scene =>
  (x, y) =>
    128 + 0.6 * (scene(x, y) - 125);
const FRAMES = [1, 2].map((seed) => ({
  y: waves(seed),
  u: chroma(waves(seed + 10)),
  v: chroma(waves(seed + 20)),
}));
const NUMBERS = FRAMES.map((_, index) => ({ reference: index, distorted: index }));

/** Block means of the frames, and of the same frames with each sample changed. */
function fields(change: (colours: Colours) => Colours) {
  const noise = random(5);
  const component =
    (frame: (typeof FRAMES)[number], index: 0 | 1 | 2): Scene =>
    (x, y) =>
      change([frame.y(x, y), frame.u(x, y) - 128, frame.v(x, y) - 128])[index] +
      (index === 0 ? 0 : 128) +
      4 * (noise() - 0.5);
  const changed = FRAMES.map((frame) => ({
    y: component(frame, 0),
    u: component(frame, 1),
    v: component(frame, 2),
  }));
  return blockMeansOf({ reference: pictures(FRAMES), distorted: pictures(changed) }, NUMBERS, IDENTITY);
}

/** Waves about half as long as two blocks. An encode removes a part of them. */
const ripples =
  (seed: number): Scene =>
  (x, y) =>
    Math.sin(2 * Math.PI * (14 * x + seed)) * Math.cos(2 * Math.PI * (8 * y - seed));

/** Block means of the frames with ripples, and of the same frames with weaker ripples and each sample changed. */
function blurred(left: number, change: (colours: Colours) => Colours) {
  const rippled = (part: number, change: (colours: Colours) => Colours) =>
    FRAMES.map(({ y, u, v }, seed) => {
      const ripple = ripples(seed);
      // Luma and both chroma ripple together, as things have one colour.
      const colours = (at: readonly [number, number]): Colours => [
        100 + 0.5 * (y(...at) - 125) + 30 * part * ripple(...at),
        0.4 * (u(...at) - 128) + 20 * part * ripple(...at),
        0.4 * (v(...at) - 128) - 16 * part * ripple(...at),
      ];
      const component =
        (index: 0 | 1 | 2): Scene =>
        (...at) =>
          change(colours(at))[index] + (index === 0 ? 0 : 128);
      return { y: component(0), u: component(1), v: component(2) };
    });
  const [reference, distorted] = [
    pictures(rippled(1, (colours) => colours)),
    pictures(rippled(left, change)),
  ];
  return blockMeansOf({ reference, distorted }, NUMBERS, IDENTITY);
}

const full = ([y, u, v]: Colours): Colours => [((y - 16) * 255) / 219, (u * 255) / 224, (v * 255) / 224];
const limited = ([y, u, v]: Colours): Colours => [16 + (y * 219) / 255, (u * 224) / 255, (v * 224) / 255];
const gamma = ([y, u, v]: Colours): Colours => [255 * (y / 255) ** 0.9, u, v];
/** Coefficients of BT.709 to BT.601, from the definitions of both. */
const to601 = ([y, u, v]: Colours): Colours => [
  y + 0.0993 * u + 0.1917 * v,
  0.9899 * u - 0.1107 * v,
  -0.0725 * u + 0.9834 * v,
];

const codesOf = (findings: ReturnType<typeof levelFindings>) => findings.map(({ code }) => code);

test("finds nothing in the samples of clean pairs", () => {
  const clean = fields((colours) => colours);
  assert.deepEqual(levelFindings(clean), []);
  assert.deepEqual(matrixFindings(clean), []);
});

test("finds samples of the other range, and states the range of each side", () => {
  for (const [change, range, other] of [
    [full, "FULL", "LIMITED"],
    [limited, "LIMITED", "FULL"],
  ] as const) {
    const [finding] = levelFindings(fields(change));
    assert.equal(finding?.code, "RANGE_DIFFERS");
    assert.equal(finding?.confidence, "certain");
    assert.deepEqual(finding?.fix, { rangeOf: { reference: other, distorted: range } });
  }
});

test("blames the side whose tag is wrong for the range", () => {
  const found = (tags: Parameters<typeof levelFindings>[1]) => levelFindings(fields(full), tags)[0]?.side;
  assert.equal(found({ reference: "FULL", distorted: "FULL" }), "reference");
  assert.equal(found({ reference: "LIMITED", distorted: "LIMITED" }), "distorted");
});

test("reports contrast, brightness and gamma as other levels, not as another range", () => {
  const changes: readonly ((colours: Colours) => Colours)[] = [
    gamma,
    ([y, u, v]) => [1.164 * (y - 16), u, v],
    ([y, u, v]) => [y + 7, u, v],
  ];
  for (const change of changes) {
    const found = levelFindings(fields(change)).map(({ code, confidence }) => ({ code, confidence }));
    assert.deepEqual(found, [{ code: "LEVELS_DIFFER", confidence: "likely" }]);
  }
});

test("does not report levels if only some blocks show something else", () => {
  const clean = fields((colours) => colours);
  const { y, ...chroma } = clean.distorted;
  const shown = y.map((value, index) => (index % 8 === 0 ? (y[(index + 137) % y.length] ?? 0) : value));
  assert.deepEqual(levelFindings({ ...clean, distorted: { ...chroma, y: shown } }), []);
});

test("hints at another range where a gamma or faded colours hide it", () => {
  const found = (change: (colours: Colours) => Colours) =>
    levelFindings(fields(change)).map(({ code, confidence, fix }) => [code, confidence, fix]);
  const bright = ([y, u, v]: Colours): Colours => [255 * (y / 255) ** 0.78, u, v];
  const rangeOf = { reference: "LIMITED", distorted: "FULL" };
  assert.deepEqual(
    found((colours) => bright(full(colours))),
    [
      ["LEVELS_DIFFER", "likely", undefined],
      ["RANGE_DIFFERS", "possible", { rangeOf }],
    ],
  );
  const faded = ([y, u, v]: Colours): Colours => [y, 0.93 * u, 0.93 * v];
  assert.deepEqual(
    found((colours) => faded(limited(colours))).map(([code, confidence]) => [code, confidence]),
    [["RANGE_DIFFERS", "likely"]],
  );
});

test("finds the range by its black where a gamma or lost colour hides the gain", () => {
  /** Pictures of which a part is black. */
  const night = ([y, u, v]: Colours, part = 1): Colours =>
    y < 100 ? [16, 0, 0] : [16 + 0.35 * (y - 100), part * 0.3 * u, part * 0.3 * v];
  const dim = ([y, u, v]: Colours): Colours => [16 + 219 * ((y - 16) / 219) ** 1.2, u, v];
  const still = (means: ReturnType<typeof fields>, other: ReturnType<typeof fields>) => ({
    ...means,
    reference: other.distorted,
  });
  const found = (change: (colours: Colours) => Colours, part = 1) =>
    levelFindings(
      still(
        fields((colours) => change(night(colours, part))),
        fields((colours) => night(colours, part)),
      ),
    ).map(({ code, confidence, fix }) => [code, confidence, fix?.rangeOf]);
  const rangeOf = { reference: "LIMITED", distorted: "FULL" };
  assert.deepEqual(
    found((colours) => full(dim(colours))),
    [["RANGE_DIFFERS", "likely", rangeOf]],
  );
  const weak = ([y, u, v]: Colours): Colours => [1.1 * (y - 16), u, v];
  assert.deepEqual(found(weak, 0), [["RANGE_DIFFERS", "likely", rangeOf]]);
  assert.deepEqual(
    found(dim).map(([code]) => code),
    ["LEVELS_DIFFER"],
  );
  const darker = ([y, u, v]: Colours): Colours => [1.1 * y - 14, u, v];
  assert.ok(!found(darker, 0).some(([, confidence, fix]) => fix !== undefined && confidence !== "possible"));
});

test("leaves the range open if colourless pictures differ nearly as two ranges do", () => {
  const grey = ([y]: Colours): Colours => [y, 0, 0];
  const plain = fields((colours) => grey([full(colours)[0] + 12, 0, 0]));
  const none = new Float32Array(plain.count);
  const both = { ...plain, reference: { ...plain.reference, u: none, v: none } };
  const found = levelFindings(both).map(({ code, confidence }) => [code, confidence]);
  assert.deepEqual(found, [
    ["LEVELS_DIFFER", "likely"],
    ["NOT_CHECKED", "possible"],
  ]);
});

test("leaves the range open if gain and offset explain little of colourless pictures", () => {
  const other = fields(([y]) => limited([y, 0, 0]));
  const none = new Float32Array(other.count);
  // Interlaced frames differ from progressive ones where they move.
  const woven = other.distorted.y.map((level, index) => level + 45 * Math.sin(index));
  const means = {
    ...other,
    reference: { ...other.reference, u: none, v: none },
    distorted: { ...other.distorted, y: woven },
  };
  assert.equal(levelFindings({ ...means, distorted: other.distorted })[0]?.code, "RANGE_DIFFERS");
  assert.deepEqual(codesOf(levelFindings(means)), ["NOT_CHECKED"]);
});

test("finds the range although an encode removed fine detail", () => {
  assert.deepEqual(codesOf(levelFindings(blurred(0.4, limited))), ["RANGE_DIFFERS"]);
  assert.equal(levelFindings(blurred(0.4, full))[0]?.confidence, "certain");
  assert.deepEqual(levelFindings(blurred(0.4, (colours) => colours)), []);
});

test("finds the range of pictures with little contrast", () => {
  const dark = ([y, u, v]: Colours): Colours => [30 + 0.08 * (y - 40), 0.3 * u, 0.3 * v];
  const clean = fields(dark);
  const found = levelFindings({ ...fields((colours) => full(dark(colours))), reference: clean.distorted });
  assert.deepEqual(
    found.map(({ code }) => code),
    ["RANGE_DIFFERS"],
  );
  assert.equal(isPlain({ ...clean, reference: clean.distorted }), true);
  assert.equal(isPlain(clean), false);
});

test("finds BT.709 that was converted to BT.601, also with a gamma", () => {
  for (const change of [to601, (colours: Colours) => gamma(to601(colours))]) {
    const [finding] = matrixFindings(fields(change));
    assert.equal(finding?.code, "MATRIX_DIFFERS");
    assert.equal(finding?.confidence, "certain");
    assert.deepEqual(finding?.fix, { matrixOf: { reference: "BT709", distorted: "BT601" } });
  }
});

test("does not report saturation, gamma or range as another matrix", () => {
  const changes: readonly ((colours: Colours) => Colours)[] = [
    ([y, u, v]) => [y, 1.15 * u, 1.15 * v],
    gamma,
    full,
    limited,
  ];
  for (const change of changes)
    assert.ok(!codesOf(matrixFindings(fields(change))).includes("MATRIX_DIFFERS"));
});

test("finds another matrix although an encode removed fine detail, and none in clean pairs", () => {
  const [finding] = matrixFindings(blurred(0.7, to601));
  assert.deepEqual(finding?.fix, { matrixOf: { reference: "BT709", distorted: "BT601" } });
  assert.deepEqual(codesOf(matrixFindings(blurred(0.7, (colours) => colours))), []);
});

test("finds the matrix of pictures whose luma varies little", () => {
  const flat = ([y, u, v]: Colours): Colours => [120 + y / 40, u, v];
  const clean = fields(flat);
  const found = matrixFindings({ ...fields((colours) => to601(flat(colours))), reference: clean.distorted });
  assert.deepEqual(codesOf(found), ["MATRIX_DIFFERS"]);
});

test("names the right matrix if a converter's rounding moves luma", () => {
  const alike = ([y, u, v]: Colours): Colours => [y, 0.06 * u, 0.06 * u + 0.04 * v];
  const rounded = (colours: Colours): Colours => {
    const [y, u, v] = to601(colours);
    return [y - 0.1 * colours[1] - 0.05 * colours[2], u, v];
  };
  const clean = fields(alike);
  const pair = { ...fields((colours) => rounded(alike(colours))), reference: clean.distorted };
  assert.deepEqual(matrixFindings(pair)[0]?.fix, { matrixOf: { reference: "BT709", distorted: "BT601" } });
});

test("knows what another matrix does to the luma of pictures of one hue", () => {
  const hue = (colours: Colours): Colours => [colours[0], 0.1 * (colours[0] - 60), -0.05 * (colours[0] - 60)];
  const clean = fields(hue);
  const pair = { ...fields((colours) => to601(hue(colours))), reference: clean.distorted };
  const brighter = fields(([y, ...chroma]) => hue([y + 9, ...chroma]));
  const isExplained = (means: typeof pair) =>
    withMistakes(means).some((converted) => levelFindings(converted).length === 0);
  assert.equal(isExplained(pair), true);
  assert.equal(isExplained({ ...brighter, reference: clean.distorted }), false);
});

test("does not report another matrix if an encode removed the reference's grain", () => {
  // The colours lie nearly on a line. What grain hides of one chroma component then seems to come from the other.
  const alike = ([y, u, v]: Colours): Colours => [y, 0.12 * u, 0.12 * u + 0.03 * v];
  const clean = fields(alike).distorted;
  const noise = random(9);
  const grainy = (values: Float32Array) => values.map((value) => value + 4 * (noise() - 0.5));
  const reference = { ...clean, u: grainy(clean.u), v: grainy(clean.v) };
  const same = { ...fields(alike), reference };
  assert.ok(!codesOf(matrixFindings(same)).includes("MATRIX_DIFFERS"));
});

test("leaves the matrix open if parts of the frame contradict each other", () => {
  const [clean, converted] = [fields((colours) => colours), fields(to601)];
  const mixed = (name: "y" | "u" | "v") =>
    clean.distorted[name].map((value, index) =>
      (clean.parts[index] ?? 0) % 2 === 0 ? value : (converted.distorted[name][index] ?? 0),
    );
  const distorted = { y: mixed("y"), u: mixed("u"), v: mixed("v") };
  assert.deepEqual(codesOf(matrixFindings({ ...clean, distorted })), ["NOT_CHECKED"]);
});

test("leaves the matrix open for pictures of one hue", () => {
  const one = ([y, u]: Colours): Colours => [y, u, -0.5 * u];
  const clean = fields(one);
  const hue = { ...clean.reference, v: clean.reference.u.map((value) => -0.5 * value) };
  assert.deepEqual(codesOf(matrixFindings({ ...clean, reference: hue })), ["NOT_CHECKED"]);
});

test("leaves the matrix open for grey pictures", () => {
  const grey = FRAMES.map(({ y }) => ({ y, u: () => 128, v: () => 128 }));
  const both = blockMeansOf({ reference: pictures(grey), distorted: pictures(grey) }, NUMBERS, IDENTITY);
  for (const one of [fields(([y]) => [y, 0, 0]), both])
    assert.deepEqual(codesOf(matrixFindings(one)), ["NOT_CHECKED"]);
});

test("leaves the levels open for plain pictures", () => {
  const plain = fields(([y]) => [120 + y / 50, 0, 0]);
  assert.deepEqual(codesOf(levelFindings({ ...plain, reference: plain.distorted })), ["NOT_CHECKED"]);
});
