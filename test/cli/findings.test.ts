/** How findings are shown: in reports, in refusals, on the page of a job. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { failureLines } from "../../src/cli/exit.ts";
import { findingsSection } from "../../src/cli/findings/finding-lines.ts";
import { findingView } from "../../src/cli/findings/message-view.ts";
import type { PairCommands } from "../../src/cli/findings/refused.ts";
import type { FindingView } from "../../src/cli/findings/view.ts";
import { jobPage } from "../../src/cli/jobs/job-page.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { FindingSchema, type Mirror_Direction } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { Failure, type Found } from "../../src/platform/failure.ts";
import { job } from "./jobs.ts";

const TERMINAL: Terminal = { columns: 60, color: false, unicode: true, live: false };
const OFFSET: FindingView = {
  ...{ code: "OFFSET", side: "distorted", confidence: "certain" },
  evidence: "The distorted video lacks the first 5 frames.",
  fix: { offset: -5 },
};
const FROZEN: FindingView = {
  ...{ code: "FROZEN", side: "distorted", confidence: "likely", frames: { first: 40, count: 5 } },
  evidence: "Frames 40 to 44 of the distorted video stand still while the reference moves.",
};

describe("the findings of a report", () => {
  test("have a place, their evidence, and the options that repair the pair", () => {
    assert.deepEqual(findingsSection([{ ...OFFSET, fixed: true }, FROZEN], true, TERMINAL), [
      "OFFSET (certain, fixed)",
      "  The distorted video lacks the first 5 frames.",
      "  Fixed with: --offset -5",
      "FROZEN (likely)  frames 40–44 of the distorted video",
      "  Frames 40 to 44 of the distorted video stand still while",
      "  the reference moves.",
    ]);
  });

  test("place a crop on the side that still has the rest", () => {
    const area = { x: 0, y: 140, width: 1920, height: 800 };
    const [head] = findingsSection([{ ...OFFSET, code: "CROPPED", area }], false, TERMINAL);
    assert.equal(head, "CROPPED (certain)  1920x800+0+140 of the reference");
  });

  test("are coloured by their confidence, and possible ones are dimmed", () => {
    const color = { ...TERMINAL, color: true };
    const [head, , possible, evidence] = findingsSection(
      [
        { ...FROZEN, evidence: "Still." },
        { code: "TIME_UNCLEAR", confidence: "possible", evidence: "Dark." },
      ],
      false,
      color,
    );
    assert.ok(head?.startsWith("\x1b[33mFROZEN (likely)\x1b[0m"), head);
    assert.deepEqual(
      [possible, evidence],
      ["\x1b[2mTIME_UNCLEAR (possible)\x1b[0m", "\x1b[2m  Dark.\x1b[0m"],
    );
  });

  test("say that a requested fix found nothing to repair, and count what is too much for a list", () => {
    assert.deepEqual(findingsSection([], true, TERMINAL), ["--fix found nothing certain to repair."]);
    assert.deepEqual(findingsSection([], false, TERMINAL), []);
    const many = Array.from({ length: 14 }, () => OFFSET);
    assert.equal(findingsSection(many, false, TERMINAL).at(-1), "and 2 more, which --json prints");
  });

  test("of a later server are shown without a fix that this version does not know", () => {
    const message = create(FindingSchema, {
      ...{ code: "NEW\x1b", confidence: "sure", evidence: "Seen." },
      fix: { mirror: { distorted: 99 as Mirror_Direction } },
    });
    assert.deepEqual(findingsSection([findingView(message)], false, TERMINAL), [
      "NEW\\u{1b} (sure)",
      "  Seen.",
    ]);
  });
});

const COMMANDS: PairCommands = {
  scoreWith: (options) => `svc score a b ${options.join(" ")}`,
  ...{ hasFix: false, hasPolicy: false, doctor: "svc doctor a b" },
};

describe("a pair that was refused", () => {
  const lines = async (found: Found, commands?: PairCommands) => {
    const failure = new Failure("PAIR_MISMATCH", "Refused.", { found });
    const shown = await failureLines(failure, TERMINAL, {}, commands);
    return shown.map((line) => line.replace(/^ {7}/, ""));
  };

  test("is explained with its certain findings and the commands to type", async () => {
    const found = { findings: [OFFSET, FROZEN], fix: { offset: -5 }, remedy: { option: "fix", value: true } };
    assert.deepEqual(await lines(found, COMMANDS), [
      "error: The two videos do not match, so their score would be",
      "wrong. [PAIR_MISMATCH]",
      "",
      "OFFSET (certain)",
      "  The distorted video lacks the first 5 frames.",
      "",
      "To score what was meant",
      "  svc score a b --offset -5",
      "To let svc find and apply these fixes",
      "  svc score a b --fix",
      "To score the pair as it is, with warnings",
      "  svc score a b --findings warn",
    ]);
  });

  test("offers the single options of the fix if --fix was given, and keeps its policy for other findings", async () => {
    const found = { findings: [OFFSET], fix: { offset: -5 } };
    const shown = await lines(found, { ...COMMANDS, hasFix: true, hasPolicy: true });
    const commands = shown.filter((line) => /^ {2}svc/.test(line));
    assert.deepEqual(commands, ["  svc score a b --offset -5", "  svc score a b --findings warn:OFFSET"]);
  });

  test("without a fix leads to svc doctor", async () => {
    const { fix: _, ...finding } = OFFSET;
    const shown = await lines(
      { findings: [finding], remedy: { option: "findings", value: "WARN" } },
      COMMANDS,
    );
    assert.deepEqual(
      shown.filter((line) => /^ {2}svc/.test(line)),
      ["  svc doctor a b", "  svc score a b --findings warn"],
    );
  });

  test("of a job is submitted again with the options", async () => {
    const found = { findings: [OFFSET], fix: { offset: -5 } };
    const wanted = [
      "To score what was meant, submit the pair with",
      "  --offset -5",
      "To let svc find and apply these fixes",
      "  --fix",
      "To score the pair as it is, with warnings, submit the pair with",
      "  --findings warn",
    ];
    assert.deepEqual((await lines(found)).slice(-6), wanted);
    const failed = job({
      error: { code: "PAIR_MISMATCH", message: "Refused.", found: JSON.parse(JSON.stringify(found)) },
    });
    const page = jobPage(failed, TERMINAL, 0).map((line) => line.replace(/^ {7}/, ""));
    assert.ok(
      page.join("\n").includes(["OFFSET (certain)", `  ${OFFSET.evidence}`, "", ...wanted].join("\n")),
      page.join("\n"),
    );
    assert.ok(!page.some((line) => line.startsWith("findings:")), page.join("\n"));
  });

  test("is shown with its message and the remedy if its findings cannot be read", async () => {
    for (const findings of [undefined, 5, [5], [{ code: 7 }], [{ ...OFFSET, confidence: "likely" }]])
      assert.deepEqual(await lines({ findings, remedy: { option: "fix", value: true } }), [
        "error: Refused. [PAIR_MISMATCH]",
        "To score the pair: --fix",
      ]);
  });

  test("with other numbers of frames leads to svc doctor", async () => {
    const failure = new Failure("FRAME_COUNT_MISMATCH", "They differ.");
    const last = async (commands: PairCommands) =>
      (await failureLines(failure, { ...TERMINAL, columns: 90 }, {}, commands)).at(-1)?.trim();
    assert.equal(await last(COMMANDS), "svc doctor a b says how they relate; --fix repairs what is certain.");
    assert.equal(await last({ ...COMMANDS, hasFix: true }), "svc doctor a b says how they relate.");
  });
});
