import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { tenantDirectory } from "../../../../src/engine/files/tenant-directory.ts";

/** Ids of all kinds: UTF-16 units including lone surrogates, whole characters, and characters special in paths. */
const ids = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom(".", "/", "\\", "%", "2", "E", "e", "~", "a", "A", "\0", "é", "e\u0301"),
  }),
);

test("keeps plain ids, and escapes every other byte", () => {
  for (const [tenant, directory] of [
    ["acme", "acme"],
    ["team_7-b", "team_7-b"],
    ["7d9a1a52-3f4b-4c39-9a58-0d4f6f0f9a11", "7d9a1a52-3f4b-4c39-9a58-0d4f6f0f9a11"],
    ["Acme", "%41cme"],
    [".", "%2E"],
    ["..", "%2E%2E"],
    ["../b", "%2E%2E%2Fb"],
    ["a/b", "a%2Fb"],
    ["a%2Fb", "a%252%46b"],
    ["ü", "%C3%BC"],
    ["", "%"],
  ] as const) {
    assert.equal(tenantDirectory(tenant), directory);
  }
});

test("hashes an id that is too long or not valid Unicode", () => {
  const long = "x".repeat(201);
  assert.equal(tenantDirectory(long), `%sha256-${hash("sha256", long)}`);
  assert.equal(tenantDirectory("x".repeat(200)), "x".repeat(200));
  assert.match(tenantDirectory("a\ud800"), /^%utf16-[0-9a-f]{64}$/);
  assert.notEqual(tenantDirectory("a\ud800"), tenantDirectory("a\ufffd"));
  assert.notEqual(tenantDirectory("a\ud800"), tenantDirectory("a\ud801"));
});

test("returns one safe path component for any id", () => {
  fc.assert(
    fc.property(ids, (tenant) => {
      const directory = tenantDirectory(tenant);
      assert.match(directory, /^[A-Za-z0-9_%-]{1,200}$/);
      assert.equal(resolve("/media", directory), `/media/${directory}`);
    }),
    { numRuns: 2_000 },
  );
});

test("returns a unique name for every id, also on case-insensitive file systems", () => {
  const known = new Map<string, string>();
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      for (const tenant of [one, other, one.toUpperCase(), one.toLowerCase(), tenantDirectory(one)]) {
        const directory = tenantDirectory(tenant).toLowerCase();
        assert.equal(known.get(directory) ?? tenant, tenant);
        known.set(directory, tenant);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("can be created on a real file system, with a prefix", async (t) => {
  const base = await mkdtemp(join(tmpdir(), "tenants-"));
  t.after(() => rm(base, { recursive: true }));
  const tenants = ["..", "", "Acme", "acme", "a/b", "é".repeat(34), "x".repeat(4_000), "\ud800", "nul\0"];
  for (const tenant of tenants) await mkdir(join(base, `tenant-${tenantDirectory(tenant)}`));
  assert.equal((await readdir(base)).length, tenants.length);
});
