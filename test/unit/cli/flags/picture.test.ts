/** The options that say which part of the pictures is compared. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { inOptions } from "../../../../src/cli/api-names.ts";
import { pictureOf, pictureOptions } from "../../../../src/cli/score/flags/picture.ts";

function parse(...args: readonly string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of pictureOptions()) command.addOption(option);
  return pictureOf(command.parse(args, { from: "user" }).opts());
}

test("are parsed to the members of a request", () => {
  assert.deepEqual(parse(), {});
  assert.deepEqual(parse("--crop", "distorted=1920x800+0+140", "--crop", "REFERENCE=64x64+2+4"), {
    crop: {
      distorted: { x: 0, y: 140, width: 1920, height: 800 },
      reference: { x: 2, y: 4, width: 64, height: 64 },
    },
  });
  assert.deepEqual(parse("--mirror", "distorted", "--mirror", "reference=Both"), {
    mirror: { distorted: "HORIZONTAL", reference: "BOTH" },
  });
  const matrices = ["--matrix-of", "reference=bt709", "--matrix-of", "distorted=BT2020"];
  assert.deepEqual(parse("--range-of", "distorted=full", ...matrices), {
    rangeOf: { distorted: "FULL" },
    matrixOf: { reference: "BT709", distorted: "BT2020" },
  });
});

test("are refused if they are incomplete, unknown or given twice", () => {
  const area = "distorted=2x2+0+0";
  for (const [flag, ...values] of [
    [
      "--crop",
      "",
      "distorted",
      "distorted=",
      "1920x800+0+140",
      "both=2x2+0+0",
      "distorted=2x2",
      "distorted=2x2+0+-1",
    ],
    ["--range-of", "", "full", "distorted", "distorted=tv", "distorted=full=full"],
    ["--matrix-of", "bt601", "reference=709", "reference=fcc"],
    ["--mirror", "", "left", "distorted=", "distorted=diagonal", "distorted=vertical=both"],
  ] as const)
    for (const value of values)
      assert.throws(
        () => parse(`${flag}=${value}`),
        { code: "commander.invalidArgument" },
        `${flag} ${value}`,
      );
  assert.throws(() => parse("--crop", area, "--crop", area), /given twice/);
  assert.throws(() => parse("--mirror", "reference", "--mirror", "reference=both"), /given twice/);
});

test("replace the members of the API in messages", () => {
  assert.equal(inOptions("crop.distorted is 2x2+0+0, but"), "--crop distorted is 2x2+0+0, but");
});
