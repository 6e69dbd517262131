/** docs/scale.md calculates with the current values of bench/formulas.ts. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { COSTS } from "../../bench/formulas.ts";
import { fleetsTable, formulasTable } from "../../bench/paper.ts";

const page = await readFile(new URL("../../docs/scale.md", import.meta.url), "utf8");

test("the page contains the formulas and the three fleets that npm run bench:fleet -- --paper prints", () => {
  assert.ok(page.includes(`\n\n${formulasTable()}\n\n`), "the formulas");
  assert.ok(page.includes(`\n\n${fleetsTable()}\n\n`), "the three fleets");
});

test("the page's measured costs are those of the formulas", () => {
  const { job, heartbeat, toldMicros, eventBytes, pictureBytes } = COSTS;
  const row = ({ controllerMs, databaseMs, writes, walBytes }: typeof job | typeof heartbeat) =>
    `| ${controllerMs} ms | ${databaseMs} ms | ${writes} | ${walBytes / 1000} kB |`;
  assert.ok(
    page.includes(`\n| a whole job, submission to last still, without the pictures' bytes ${row(job)}`),
  );
  assert.ok(page.includes(`\n| a heartbeat of a node at work, with progress ${row(heartbeat)}`));
  assert.ok(page.includes(`\n| an event sent to one stream | ${toldMicros} µs |`));
  assert.ok(page.includes(` | ${eventBytes} bytes |\n`));
  assert.ok(page.includes(`${pictureBytes / 1e6} MB is used below`));
});
