/** Debian packages of tests: installed by root, named to others. apt-get is a program of this test's own. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { type DebianPackage, ensurePackages } from "../../scripts/testing/packages.ts";

const SHELL: DebianPackage = { package: "dash", command: "sh", neededBy: ["test/shell/"] };
const ABSENT: DebianPackage = {
  package: "svc-absent",
  command: "svc-absent",
  neededBy: ["test/pages/", "test/x.test.ts"],
};

const folder = mkdtempSync(join(tmpdir(), "apt-"));
const asked = join(folder, "asked");
process.env["PATH"] = `${folder}${delimiter}${process.env["PATH"] ?? ""}`;

/** An apt-get that writes down what it is asked, and does what `then` says. */
function aptGet(then: string): void {
  writeFileSync(join(folder, "apt-get"), `#!/bin/sh\necho "$@" >>${asked}\n${then}\n`);
  chmodSync(join(folder, "apt-get"), 0o755);
}

beforeEach(() => {
  for (const name of ["asked", "svc-absent"]) rmSync(join(folder, name), { force: true });
});
after(() => rmSync(folder, { recursive: true }));

test("packages that are there are not asked for", async () => {
  aptGet("exit 1");
  assert.deepEqual([...(await ensurePackages([SHELL], { isRoot: true }))], []);
  assert.equal(existsSync(asked), false);
});

test("root installs what is missing, after an update", async () => {
  aptGet(`cp "$0" ${join(folder, "svc-absent")}`);
  assert.deepEqual([...(await ensurePackages([SHELL, ABSENT], { isRoot: true }))], []);
  assert.deepEqual(readFileSync(asked, "utf8").trim().split("\n"), [
    "-qq update",
    "-qq install --yes --no-install-recommends svc-absent",
  ]);
});

test("others are told its name, and only the tests that need it are left out", async () => {
  aptGet("exit 0");
  const advice =
    'the Debian package svc-absent is missing; install it with "apt-get install svc-absent", or run this as root';
  assert.deepEqual(
    [...(await ensurePackages([SHELL, ABSENT], { isRoot: false }))],
    [
      ["test/pages/", advice],
      ["test/x.test.ts", advice],
    ],
  );
  assert.equal(existsSync(asked), false);
});

test("an installation that fails says so", async () => {
  aptGet("exit 100");
  const without = await ensurePackages([ABSENT], { isRoot: true });
  assert.match(without.get("test/pages/") ?? "", /svc-absent is missing; "apt-get update" ended with 100/);
});
