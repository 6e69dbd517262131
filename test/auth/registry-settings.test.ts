/** Settings of tenants follow the tenants file. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, test } from "node:test";
import {
  defaultModelsIn,
  findingsIn,
  limitsIn,
  uploadLimitsIn,
} from "../../src/auth/tenants/tenant-settings.ts";
import { TenantsFolder, yaml } from "./tenants-folder.ts";

let files: TenantsFolder;

beforeEach(async () => {
  files = await TenantsFolder.make();
});
afterEach(() => files.close());

test("limits are those of the current file, or the defaults", async () => {
  const defaults = { jobsQueued: 9, segmentsRunning: 8, submitsPerSecond: 7, weight: 1 };
  const limited = (limits: string) => yaml("acme", "beta").replace("keys}\n", `keys}\n  limits: ${limits}\n`);
  await writeFile(files.path, limited("{jobsQueued: 5, segmentsRunning: none}"));
  const file = await files.follow();
  const limitsOf = limitsIn(file.realms, defaults);
  assert.deepEqual(limitsOf("acme"), {
    ...defaults,
    jobsQueued: 5,
    segmentsRunning: Number.POSITIVE_INFINITY,
  });
  for (const other of ["beta", "nobody", "__proto__"]) assert.deepEqual(limitsOf(other), defaults);
  await files.nextLine(() => files.replace(limited("{jobsQueued: 6, weight: 4}")));
  assert.deepEqual(limitsOf("acme"), { ...defaults, jobsQueued: 6, weight: 4 });
  const { faults } = await files.nextLine(() => files.replace(limited("{jobsQueued: 0}")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): limits.jobsQueued is not a whole number from 1 to 100000000, nor none. Leave it out for the default.',
  ]);
  assert.equal(limitsOf("acme").jobsQueued, 6);
  await files.nextLine(() => files.replace(yaml("acme")));
  assert.equal(limitsOf("acme").jobsQueued, defaults.jobsQueued);
});

test("limits of uploads are those of the current file, higher or lower than the defaults, or the defaults", async () => {
  const [GIB, DAY_MS] = [2 ** 30, 86_400_000];
  const limited = (limits: string) => yaml("acme", "beta").replace("keys}\n", `keys}\n  limits: ${limits}\n`);
  await writeFile(files.path, limited("{uploads: 5, uploadSize: 200}"));
  const file = await files.follow();
  const limitsOf = uploadLimitsIn(file.realms, { uploads: 9, uploadSize: 8, uploadRetention: 7 });
  const defaults = { count: 9, bytes: 8 * GIB, keptMs: 7 * DAY_MS };
  assert.deepEqual(limitsOf("acme"), { ...defaults, count: 5, bytes: 200 * GIB });
  for (const other of ["beta", "nobody", "__proto__"]) assert.deepEqual(limitsOf(other), defaults);
  await files.nextLine(() => files.replace(limited("{uploadRetention: 1, weight: 4}")));
  assert.deepEqual(limitsOf("acme"), { ...defaults, keptMs: DAY_MS });
  const { faults } = await files.nextLine(() => files.replace(limited("{uploadSize: none}")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): limits.uploadSize is not a whole number from 1 to 1000000. Leave it out for the default.',
  ]);
  assert.deepEqual(limitsOf("acme"), { ...defaults, keptMs: DAY_MS });
  await files.nextLine(() => files.replace(yaml("acme")));
  assert.deepEqual(limitsOf("acme"), defaults);
});

test("default models are those of the current file, or the defaults", async () => {
  const own = (models: string) =>
    yaml("acme", "beta").replace("keys}\n", `keys}\n  defaultModels: ${models}\n`);
  await writeFile(files.path, own("[v1, vmaf_v0.6.1]"));
  const file = await files.follow();
  const modelsOf = defaultModelsIn(file.realms, ["v1-tv"]);
  assert.deepEqual(modelsOf("acme"), ["v1", "vmaf_v0.6.1"]);
  for (const other of ["beta", "nobody", "__proto__"]) assert.deepEqual(modelsOf(other), ["v1-tv"]);
  const { faults } = await files.nextLine(() => files.replace(own("[v1, v1]")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): defaultModels is not a list of 1 to 8 distinct model names of letters, digits, ".", "_" and "-". Leave it out for the default.',
  ]);
  await files.nextLine(() => files.replace(own("[v1-phone]")));
  assert.deepEqual(modelsOf("acme"), ["v1-phone"]);
  await files.nextLine(() => files.replace(yaml("acme")));
  assert.deepEqual(modelsOf("acme"), ["v1-tv"]);
});

test("the policy for findings is that of the current file, or the default", async () => {
  const own = (policy: string) => yaml("acme", "beta").replace("keys}\n", `keys}\n  findings: ${policy}\n`);
  await writeFile(files.path, own("{action: WARN, codes: {OFFSET: IGNORE}}"));
  const file = await files.follow();
  const findingsOf = findingsIn(file.realms, { action: "IGNORE" });
  assert.deepEqual(findingsOf("acme"), { action: "WARN", codes: { OFFSET: "IGNORE" } });
  for (const other of ["beta", "nobody", "__proto__"])
    assert.deepEqual(findingsOf(other), { action: "IGNORE" });
  const { faults } = await files.nextLine(() => files.replace(own("{action: warn}")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): findings.action is not an action. The actions are: REFUSE, WARN, IGNORE.',
  ]);
  assert.equal(findingsOf("acme")?.action, "WARN");
  await files.nextLine(() => files.replace(yaml("acme")));
  assert.deepEqual(findingsOf("acme"), { action: "IGNORE" });
});
