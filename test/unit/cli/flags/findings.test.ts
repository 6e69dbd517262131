/** The options that say what is done if the videos do not match. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { inOptions } from "../../../../src/cli/api-names.ts";
import { findingsOf, findingsOptions } from "../../../../src/cli/score/flags/findings.ts";

function parse(...args: readonly string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of findingsOptions()) command.addOption(option);
  return findingsOf(command.parse(args, { from: "user" }).opts());
}

test("are parsed to the members of a request", () => {
  assert.deepEqual(parse(), {});
  assert.deepEqual(parse("--fix", "--findings", "WARN"), { fix: true, findings: { action: "WARN" } });
  assert.deepEqual(parse("--findings", "ignore:bars,Frames-Dropped", "--findings", "warn:CROPPED"), {
    findings: { codes: { BARS: "IGNORE", FRAMES_DROPPED: "IGNORE", CROPPED: "WARN" } },
  });
});

test("apply in their order, and those of a code before the general one", () => {
  assert.deepEqual(
    parse("--findings=ignore:OFFSET", "--findings=ignore", "--findings=warn", "--findings=refuse:OFFSET"),
    { findings: { action: "WARN", codes: { OFFSET: "REFUSE" } } },
  );
});

test("are refused if a policy or a code does not exist", () => {
  for (const value of [
    "",
    "allow",
    "OFFSET",
    ":OFFSET",
    "warn:",
    "warn:OFSET",
    "warn:OFFSET,",
    "warn:OFFSET:BARS",
  ])
    assert.throws(() => parse(`--findings=${value}`), { code: "commander.invalidArgument" }, value);
  assert.throws(() => parse("--findings=warn:__proto__"), /the codes are OFFSET, TRIMMED, /);
});

test("replace the members of the API in messages", () => {
  assert.equal(
    inOptions("Set fix to true to score what was meant, or set findings to WARN to score the pair as it is."),
    "Use --fix to score what was meant, or use --findings warn to score the pair as it is.",
  );
  assert.equal(
    inOptions("Say with runs which frames to compare."),
    "Say with --runs which frames to compare.",
  );
  assert.equal(
    inOptions("findings.codes has X, which is not a finding."),
    "--findings has X, which is not a finding.",
  );
});
