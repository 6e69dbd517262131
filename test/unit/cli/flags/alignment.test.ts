/** The options that say which frames are compared, and the advice that names them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { inOptions } from "../../../../src/cli/api-names.ts";
import { alignmentOf, alignmentOptions } from "../../../../src/cli/score/flags/alignment.ts";

function parse(...args: readonly string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of alignmentOptions()) command.addOption(option);
  return alignmentOf(command.parse(args, { from: "user" }).opts());
}

test("are parsed to the members of a request", () => {
  assert.deepEqual(parse(), {});
  assert.deepEqual(parse("--offset", "-13"), { offset: -13 });
  assert.deepEqual(parse("--offset", "0", "--start", "36", "--duration", "1.5s"), {
    ...{ offset: 0, start: 36, duration: { seconds: 1.5 } },
  });
  assert.deepEqual(parse("--runs", "0:5:100,102:105:50", "--runs", "200:155:1"), {
    runs: [
      { reference: 0, distorted: 5, count: 100 },
      { reference: 102, distorted: 105, count: 50 },
      { reference: 200, distorted: 155, count: 1 },
    ],
  });
});

test("are refused if they have no exact meaning", () => {
  for (const [flag, ...values] of [
    ["--offset", "", "1.5", "1s", "NaN", "2147483648", "-2147483648", "0x10", "1e3"],
    ["--start", "", "-1", "1.5", "1.5 s", "1:30", "s", "NaN", "99999999999"],
    ["--duration", "-1s", "1e3", "2147483648"],
    ["--runs", "", "1:2", "1:2:0", "1:2:3:4", "-1:2:3", "1:2:x", "0:0:1,", "0:0:1;5:5:1"],
  ] as const)
    for (const value of values)
      assert.throws(
        () => parse(`${flag}=${value}`),
        { code: "commander.invalidArgument" },
        `${flag} ${value}`,
      );
});

test("replace the members of the API in advice", () => {
  assert.equal(inOptions("If so, set offset to -13."), "If so, use --offset -13.");
  assert.equal(
    inOptions("Set runs, which list the frames that both have, or use others."),
    "Use --runs, which list the frames that both have, or use others.",
  );
  assert.equal(inOptions("start is frame 60, but"), "--start is frame 60, but");
});
