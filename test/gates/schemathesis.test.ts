/** Tests that need schemathesis are left out where it cannot be had, and not where it is another one. Python is a program of this test's own. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { schemathesisProblem } from "../../scripts/testing/schemathesis.ts";

const folder = mkdtempSync(join(tmpdir(), "python-"));
const path = process.env["PATH"];

beforeEach(() => rmSync(join(folder, "python3"), { force: true }));
after(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

/** A Python whose venv has itself as its Python, and whose pip does what `pip` says. */
function python(pip: string): void {
  const program = join(folder, "python3");
  const venv = 'mkdir -p "$3/bin" && cp "$0" "$3/bin/python"';
  const script = `case "$*" in -VV) echo test;; "-m venv "*) ${venv};; "-m pip "*) ${pip};; esac`;
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  process.env["PATH"] = `${folder}:${path ?? ""}`;
}

test("no Python is a reason", async () => {
  process.env["PATH"] = folder;
  assert.match((await schemathesisProblem()) ?? "", /python3.*Install Python 3\.11 or newer with venv/);
});

test("a package index that cannot be reached is a reason", async () => {
  python("echo ERROR: no connection; exit 1");
  assert.match((await schemathesisProblem()) ?? "", /pip" failed: ERROR: no connection\. PyPI must be/);
});

test("packages of other bytes fail the run", async () => {
  python("echo ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE; exit 1");
  await assert.rejects(schemathesisProblem(), /DO NOT MATCH THE HASHES/);
});
