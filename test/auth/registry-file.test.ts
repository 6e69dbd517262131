/** A tenants file is reloaded after every kind of file change, and never half-written. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  mkdir,
  mkdtemp,
  open as openFile,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { promisify } from "node:util";
import pino from "pino";
import { Registry } from "prom-client";
import {
  defaultModelsIn,
  findingsIn,
  limitsIn,
  uploadLimitsIn,
} from "../../src/auth/tenants/tenant-settings.ts";
import { TenantsFile, TenantsFileError } from "../../src/auth/tenants/tenants-file.ts";
import { Settled } from "../../src/platform/files/settled.ts";
import { withTimeout } from "../waiting.ts";

/** Milliseconds between two polls. */
const LOOK_EVERY_MS = 2_000;

interface Line {
  readonly level: number;
  readonly tenants: number;
  readonly faults?: readonly string[];
}

let folder: string;
let path: string;
let registry: Registry;
let lines: Line[];
let opened: TenantsFile[];

beforeEach(async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  folder = await mkdtemp(join(tmpdir(), "svc-tenants-"));
  path = join(folder, "tenants.yaml");
  registry = new Registry();
  lines = [];
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((file) => file.stop()));
  await rm(folder, { recursive: true });
  mock.timers.reset();
});

/** A YAML registry with these tenants. */
function yaml(...ids: string[]): string {
  const oidc = "{issuer: https://login.example/, jwksEndpoint: https://login.example/keys}";
  return ids.map((id) => `- tenantId: ${id}\n  oidc: ${oidc}\n`).join("");
}

async function open(at = path): Promise<TenantsFile> {
  const write = (line: string): void => {
    lines.push(JSON.parse(line));
  };
  const log = pino({ level: "info", base: null }, { write });
  const file = await TenantsFile.open({ path: at, allowHttp: false, log, registry });
  opened.push(file);
  return file;
}

async function follow(at = path): Promise<TenantsFile> {
  const file = await open(at);
  file.start();
  return file;
}

/** The log line about the next change. Polls follow one another without a pause. */
async function nextLine(change: () => Promise<unknown>): Promise<Line> {
  const count = lines.length;
  await change();
  while (lines.length === count) {
    mock.timers.tick(LOOK_EVERY_MS);
    await endOfTurn();
  }
  return lines.at(-1) ?? assert.fail();
}

/** Replaces a file atomically, as editors do. */
async function replace(text: string | Uint8Array, target = path): Promise<void> {
  await writeFile(`${target}.new`, text);
  await rename(`${target}.new`, target);
}

function ids(file: TenantsFile): (string | undefined)[] {
  return file.realms().map(({ tenant }) => tenant?.id);
}

async function metric(name: string, outcome?: string): Promise<number | undefined> {
  const found = (await registry.getMetricsAsJSON()).find((one) => one.name === name);
  const values = found && "values" in found ? found.values : [];
  return values.find(({ labels }) => outcome === undefined || labels["outcome"] === outcome)?.value;
}

async function reloads(): Promise<Record<string, number | undefined>> {
  const outcomes = ["loaded", "faulty", "unreadable"];
  const counts = outcomes.map(async (one) => [one, await metric("svc_tenants_reloads_total", one)] as const);
  return Object.fromEntries(await Promise.all(counts));
}

describe("at startup", () => {
  test("the tenants of the file are loaded", async () => {
    await writeFile(path, yaml("acme", "beta"));
    const file = await open();
    assert.deepEqual(ids(file), ["acme", "beta"]);
    assert.equal(await metric("svc_tenants"), 2);
    assert.deepEqual(await reloads(), { loaded: 0, faulty: 0, unreadable: 0 });
  });

  test("every fault is reported, and opening fails", async () => {
    await writeFile(path, `${yaml("acme", "acme")}- tenantId: 7\n  oidc: {issuer: acme}\n`);
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof TenantsFileError);
      assert.equal(error.faults.length, 4);
      assert.ok(error.faults.every((fault) => error.message.includes(`\n  ${fault}`)));
      assert.match(error.message, /tenants\.yaml .*\n {2}tenants\[1\] \("acme"\): tenantId/);
      return true;
    });
    assert.equal(registry.getMetricsAsArray().length, 0);
  });

  test("a directory, a pipe and a large file are refused", async () => {
    await assert.rejects(open(), /ENOENT/);
    await assert.rejects(open(folder), /not a regular file|EISDIR/);
    await assert.rejects(open("/dev/zero"), /not a regular file/);
    await promisify(execFile)("mkfifo", [path]);
    await assert.rejects(withTimeout(open(), "a pipe to be refused"), /not a regular file/);
    await unlink(path);
    await writeFile(path, yaml("acme") + "#".repeat(1024 * 1024));
    await assert.rejects(open(), /larger than 1048576 bytes/);
    await writeFile(path, yaml("acme").padEnd(1024 * 1024, "#"));
    assert.deepEqual(ids(await open()), ["acme"]);
  });

  test("an empty file is refused, an empty list is accepted", async () => {
    await writeFile(path, "");
    await assert.rejects(open(), /is empty.*Write \[\]/);
    await writeFile(path, "tenants: []\n");
    assert.deepEqual(ids(await open()), []);
  });
});

describe("a change", () => {
  beforeEach(() => writeFile(path, yaml("acme")));

  test("by rename is loaded", async () => {
    const file = await follow();
    const { realms } = file;
    const line = await nextLine(() => replace(yaml("acme", "beta")));
    assert.deepEqual([line.level, line.tenants], [30, 2]);
    assert.deepEqual(
      realms().map(({ tenant }) => tenant?.id),
      ["acme", "beta"],
    );
    assert.equal(await metric("svc_tenants"), 2);
    await nextLine(() => replace(yaml("beta")));
    assert.deepEqual(ids(file), ["beta"]);
    assert.deepEqual(await reloads(), { loaded: 2, faulty: 0, unreadable: 0 });
  });

  test("in place is loaded, even with equal size and times", async () => {
    const file = await follow();
    // In one write, so that no poll finds the file truncated.
    await using writer = await openFile(path, "r+");
    await nextLine(() => writer.write(yaml("beta")));
    assert.deepEqual(ids(file), ["beta"]);
  });

  test("behind the symbolic links of a Kubernetes volume is loaded", async () => {
    for (const [version, id] of Object.entries({ v1: "acme", v2: "beta" })) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, "tenants"), yaml(id));
    }
    await symlink("v1", join(folder, "..data"));
    await symlink("..data/tenants", join(folder, "tenants"));
    const file = await follow(join(folder, "tenants"));
    assert.deepEqual(ids(file), ["acme"]);
    await nextLine(async () => {
      await symlink("v2", join(folder, "..data_tmp"));
      await rename(join(folder, "..data_tmp"), join(folder, "..data"));
    });
    assert.deepEqual(ids(file), ["beta"]);
  });

  test("to a faulty file keeps the last valid content, is logged once, and can be fixed", async () => {
    const file = await follow();
    const faulty = await nextLine(() => replace(`${yaml("beta")}- tenantId: 7\n  oidc: {issuer: x}\n`));
    assert.deepEqual([faulty.level, faulty.tenants, faulty.faults?.length], [50, 1, 3]);
    assert.deepEqual(ids(file), ["acme"]);
    // The next line is about the next change: no poll in between logged the first one again.
    const other = await nextLine(() => replace("- ["));
    assert.match(other.faults?.join() ?? "", /^line 1, column/);
    assert.deepEqual(ids(file), ["acme"]);
    const good = await nextLine(() => replace(yaml("beta")));
    assert.deepEqual([good.level, ids(file)], [30, ["beta"]]);
    assert.equal(lines.length, 3);
    assert.deepEqual(await reloads(), { loaded: 1, faulty: 2, unreadable: 0 });
  });

  test("to an empty, large or missing file keeps the last valid content", async () => {
    const file = await follow();
    const empty = await nextLine(() => truncate(path));
    assert.match(empty.faults?.join() ?? "", /is empty/);
    const large = await nextLine(() => replace("#".repeat(1024 * 1024 + 1)));
    assert.match(large.faults?.join() ?? "", /larger than/);
    const gone = await nextLine(() => unlink(path));
    assert.match(gone.faults?.join() ?? "", /ENOENT/);
    assert.deepEqual([gone.level, gone.tenants, ids(file)], [50, 1, ["acme"]]);
    const back = await nextLine(() => replace(yaml("acme")));
    assert.deepEqual([back.level, ids(file), lines.length], [30, ["acme"], 4]);
    assert.deepEqual(await reloads(), { loaded: 1, faulty: 1, unreadable: 2 });
  });

  test("counts once, when two polls in a row found it", () => {
    const settled = new Settled("a");
    const looks = ["a", "b", "a", "b", "c", "c", "c", "b", "c", "b", "b", "a", "a"];
    const counted = looks.map((key) => settled.see(key));
    assert.deepEqual(
      counted.flatMap((counts, index) => (counts ? [index] : [])),
      [5, 10, 12],
    );
  });

  test("is ignored after stop, which can be called twice", async () => {
    const file = await follow();
    await Promise.all([file.stop(), file.stop()]);
    registry = new Registry();
    const other = await follow();
    await nextLine(() => replace(yaml("beta")));
    await file.stop();
    assert.deepEqual([ids(file), ids(other), lines.length], [["acme"], ["beta"], 1]);
  });
});

test("limits are those of the current file, or the defaults", async () => {
  const defaults = { jobsQueued: 9, segmentsRunning: 8, submitsPerSecond: 7, weight: 1 };
  const limited = (limits: string) => yaml("acme", "beta").replace("keys}\n", `keys}\n  limits: ${limits}\n`);
  await writeFile(path, limited("{jobsQueued: 5, segmentsRunning: none}"));
  const file = await follow();
  const limitsOf = limitsIn(file.realms, defaults);
  assert.deepEqual(limitsOf("acme"), {
    ...defaults,
    jobsQueued: 5,
    segmentsRunning: Number.POSITIVE_INFINITY,
  });
  for (const other of ["beta", "nobody", "__proto__"]) assert.deepEqual(limitsOf(other), defaults);
  await nextLine(() => replace(limited("{jobsQueued: 6, weight: 4}")));
  assert.deepEqual(limitsOf("acme"), { ...defaults, jobsQueued: 6, weight: 4 });
  const { faults } = await nextLine(() => replace(limited("{jobsQueued: 0}")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): limits.jobsQueued is not a whole number from 1 to 100000000, nor none. Leave it out for the default.',
  ]);
  assert.equal(limitsOf("acme").jobsQueued, 6);
  await nextLine(() => replace(yaml("acme")));
  assert.equal(limitsOf("acme").jobsQueued, defaults.jobsQueued);
});

test("limits of uploads are those of the current file, higher or lower than the defaults, or the defaults", async () => {
  const [GIB, DAY_MS] = [2 ** 30, 86_400_000];
  const limited = (limits: string) => yaml("acme", "beta").replace("keys}\n", `keys}\n  limits: ${limits}\n`);
  await writeFile(path, limited("{uploads: 5, uploadSize: 200}"));
  const file = await follow();
  const limitsOf = uploadLimitsIn(file.realms, { uploads: 9, uploadSize: 8, uploadRetention: 7 });
  const defaults = { count: 9, bytes: 8 * GIB, keptMs: 7 * DAY_MS };
  assert.deepEqual(limitsOf("acme"), { ...defaults, count: 5, bytes: 200 * GIB });
  for (const other of ["beta", "nobody", "__proto__"]) assert.deepEqual(limitsOf(other), defaults);
  await nextLine(() => replace(limited("{uploadRetention: 1, weight: 4}")));
  assert.deepEqual(limitsOf("acme"), { ...defaults, keptMs: DAY_MS });
  const { faults } = await nextLine(() => replace(limited("{uploadSize: none}")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): limits.uploadSize is not a whole number from 1 to 1000000. Leave it out for the default.',
  ]);
  assert.deepEqual(limitsOf("acme"), { ...defaults, keptMs: DAY_MS });
  await nextLine(() => replace(yaml("acme")));
  assert.deepEqual(limitsOf("acme"), defaults);
});

test("default models are those of the current file, or the defaults", async () => {
  const own = (models: string) =>
    yaml("acme", "beta").replace("keys}\n", `keys}\n  defaultModels: ${models}\n`);
  await writeFile(path, own("[v1, vmaf_v0.6.1]"));
  const file = await follow();
  const modelsOf = defaultModelsIn(file.realms, ["v1-tv"]);
  assert.deepEqual(modelsOf("acme"), ["v1", "vmaf_v0.6.1"]);
  for (const other of ["beta", "nobody", "__proto__"]) assert.deepEqual(modelsOf(other), ["v1-tv"]);
  const { faults } = await nextLine(() => replace(own("[v1, v1]")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): defaultModels is not a list of 1 to 8 distinct model names of letters, digits, ".", "_" and "-". Leave it out for the default.',
  ]);
  await nextLine(() => replace(own("[v1-phone]")));
  assert.deepEqual(modelsOf("acme"), ["v1-phone"]);
  await nextLine(() => replace(yaml("acme")));
  assert.deepEqual(modelsOf("acme"), ["v1-tv"]);
});

test("what is done about findings is as the current file says, or the default", async () => {
  const own = (policy: string) => yaml("acme", "beta").replace("keys}\n", `keys}\n  findings: ${policy}\n`);
  await writeFile(path, own("{action: WARN, codes: {OFFSET: IGNORE}}"));
  const file = await follow();
  const findingsOf = findingsIn(file.realms, { action: "IGNORE" });
  assert.deepEqual(findingsOf("acme"), { action: "WARN", codes: { OFFSET: "IGNORE" } });
  for (const other of ["beta", "nobody", "__proto__"])
    assert.deepEqual(findingsOf(other), { action: "IGNORE" });
  const { faults } = await nextLine(() => replace(own("{action: warn}")));
  assert.deepEqual(faults, [
    'tenants[0] ("acme"): findings.action is not an action. The actions are: REFUSE, WARN, IGNORE.',
  ]);
  assert.equal(findingsOf("acme")?.action, "WARN");
  await nextLine(() => replace(yaml("acme")));
  assert.deepEqual(findingsOf("acme"), { action: "IGNORE" });
});
