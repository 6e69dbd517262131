/**
 * Tests that need a program from PyPI are skipped if it cannot be installed, and fail if its packages do not match
 * their hashes. Python is a fake of this test.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { pypiProblem } from "../../scripts/testing/pypi.ts";
import { SCHEMATHESIS } from "../../scripts/testing/schemathesis.ts";

const folder = mkdtempSync(join(tmpdir(), "python-"));
const path = process.env["PATH"];

beforeEach(() => rmSync(join(folder, "python3"), { force: true }));
after(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

/** Creates a Python that copies itself into its venv, and whose pip runs the shell command `pip`. */
function python(pip: string): void {
  const program = join(folder, "python3");
  const venv = 'mkdir -p "$3/bin" && cp "$0" "$3/bin/python"';
  const script = `case "$*" in -VV) echo test;; "-m venv "*) ${venv};; "-m pip "*) ${pip};; esac`;
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  process.env["PATH"] = `${folder}:${path ?? ""}`;
}

test("skips without Python", async () => {
  process.env["PATH"] = folder;
  assert.match((await pypiProblem(SCHEMATHESIS)) ?? "", /python3.*Install Python 3\.11 or newer with venv/);
});

test("skips if the package index cannot be reached", async () => {
  python("echo ERROR: no connection; exit 1");
  assert.match((await pypiProblem(SCHEMATHESIS)) ?? "", /pip" failed: ERROR: no connection\. PyPI must be/);
});

test("fails if packages do not match their hashes", async () => {
  python("echo ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE; exit 1");
  await assert.rejects(pypiProblem(SCHEMATHESIS), /DO NOT MATCH THE HASHES/);
});
