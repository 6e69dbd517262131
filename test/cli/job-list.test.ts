import assert from "node:assert/strict";
import { test } from "node:test";
import { jobTable } from "../../src/cli/jobs/list.ts";
import { type Terminal, tableTerminal } from "../../src/cli/terminal/terminal.ts";
import { columnsOf } from "../../src/cli/terminal/width.ts";
import { type Job_State, JobGate_Verdict } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { HOSTILE, ID, job, NOW, running, succeeded } from "./jobs.ts";

const TERMINAL: Terminal = { columns: 100, color: false, unicode: true, live: true };
const HEADING = { heading: true };

test("prints one line per job: id, state, progress, score, gates, age, name or distorted file", () => {
  const gate = { gate: "vmaf.mean=94", metric: "vmaf", statistic: "mean", limit: 94, value: 93.5 };
  const missed = { ...gate, verdict: JobGate_Verdict.FAILED };
  const jobs = [
    ...[job(), running(61), succeeded({ spec: { name: "trailer" } })],
    succeeded({ spec: { name: "teaser" }, gates: [missed] }),
  ];
  assert.deepEqual(jobTable(jobs, TERMINAL, NOW, HEADING), [
    "ID                                    STATE       DONE    SCORE  GATES    AGE  NAME",
    `${ID}  QUEUED         -        -  -         1m  encode.mp4`,
    `${ID}  RUNNING     30 %        -  -         1m  encode.mp4`,
    `${ID}  SUCCEEDED  100 %   93.500  -         1m  trailer`,
    `${ID}  SUCCEEDED  100 %   93.500  MISSED    1m  teaser`,
  ]);
});

test("fits any width that has room for id and state; cuts the name, never the id", () => {
  const jobs = [running(61, { spec: { name: "a trailer of a film with a long name ".repeat(5) } })];
  for (let columns = 60; columns < 140; columns++) {
    const lines = jobTable(jobs, { ...TERMINAL, columns }, NOW, HEADING);
    for (const line of lines) assert.ok(columnsOf(line) <= columns, line);
    assert.match(lines[1] ?? "", new RegExp(`^${ID} {2}RUNNING .*a tr.*…$`));
  }
});

test("escapes a hostile name, which stays on its line", () => {
  const [line = ""] = jobTable([job({ spec: { name: HOSTILE } })], TERMINAL, NOW, { heading: false });
  assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
  assert.match(line, /\\u\{1b\}\[2J/);
});

test("shows an unknown state as its number", () => {
  const [line = ""] = jobTable([job({ state: 9 as Job_State })], TERMINAL, NOW, { heading: false });
  assert.match(line, / state 9 /);
});

test("cuts nothing without a terminal, unless COLUMNS is set", () => {
  const name = "n".repeat(200);
  const table = (env: Record<string, string>) =>
    jobTable([job({ spec: { name } })], tableTerminal({}, env), NOW, { heading: false })[0] ?? "";
  assert.ok(table({}).endsWith(name));
  assert.equal(columnsOf(table({ COLUMNS: "90" })), 90);
});
