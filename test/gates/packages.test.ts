/** Debian packages of tests: installed as root, otherwise reported. apt-get is a fake of this test. */
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

/** Creates an apt-get that records its arguments and then runs `then`. */
function aptGet(then: string): void {
  writeFileSync(join(folder, "apt-get"), `#!/bin/sh\necho "$@" >>${asked}\n${then}\n`);
  chmodSync(join(folder, "apt-get"), 0o755);
}

beforeEach(() => {
  for (const name of ["asked", "svc-absent"]) rmSync(join(folder, name), { force: true });
});
after(() => rmSync(folder, { recursive: true }));

test("does not install packages that are present", async () => {
  aptGet("exit 1");
  assert.deepEqual([...(await ensurePackages([SHELL], { isRoot: true }))], []);
  assert.equal(existsSync(asked), false);
});

test("installs missing packages as root, after an update", async () => {
  aptGet(`cp "$0" ${join(folder, "svc-absent")}`);
  assert.deepEqual([...(await ensurePackages([SHELL, ABSENT], { isRoot: true }))], []);
  assert.deepEqual(readFileSync(asked, "utf8").trim().split("\n"), [
    "-qq update",
    "-qq install --yes --no-install-recommends svc-absent",
  ]);
});

test("names a missing package to other users, and skips only the tests that need it", async () => {
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

test("reports a failed installation", async () => {
  aptGet("exit 100");
  const without = await ensurePackages([ABSENT], { isRoot: true });
  assert.match(without.get("test/pages/") ?? "", /svc-absent is missing; "apt-get update" exited with 100/);
});
