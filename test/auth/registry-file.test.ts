/** A tenants file is reloaded after every kind of file change, and never half-written. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, open as openFile, rename, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import { Registry } from "prom-client";
import { TenantsFileError } from "../../src/auth/tenants/tenants-file.ts";
import { Settled } from "../../src/platform/files/settled.ts";
import { withTimeout } from "../waiting.ts";
import { ids, TenantsFolder, yaml } from "./tenants-folder.ts";

let files: TenantsFolder;

beforeEach(async () => {
  files = await TenantsFolder.make();
});
afterEach(() => files.close());

describe("at startup", () => {
  test("the tenants of the file are loaded", async () => {
    await writeFile(files.path, yaml("acme", "beta"));
    const file = await files.open();
    assert.deepEqual(ids(file), ["acme", "beta"]);
    assert.equal(await files.metric("svc_tenants"), 2);
    assert.deepEqual(await files.reloads(), { loaded: 0, faulty: 0, unreadable: 0 });
  });

  test("every fault is reported, and opening fails", async () => {
    await writeFile(files.path, `${yaml("acme", "acme")}- tenantId: 7\n  oidc: {issuer: acme}\n`);
    await assert.rejects(files.open(), (error) => {
      assert.ok(error instanceof TenantsFileError);
      assert.equal(error.faults.length, 4);
      assert.ok(error.faults.every((fault) => error.message.includes(`\n  ${fault}`)));
      assert.match(error.message, /tenants\.yaml .*\n {2}tenants\[1\] \("acme"\): tenantId/);
      return true;
    });
    assert.equal(files.registry.getMetricsAsArray().length, 0);
  });

  test("a directory, a pipe and a large file are refused", async () => {
    await assert.rejects(files.open(), /ENOENT/);
    await assert.rejects(files.open(files.folder), /not a regular file|EISDIR/);
    await assert.rejects(files.open("/dev/zero"), /not a regular file/);
    await promisify(execFile)("mkfifo", [files.path]);
    await assert.rejects(withTimeout(files.open(), "a pipe to be refused"), /not a regular file/);
    await unlink(files.path);
    await writeFile(files.path, yaml("acme") + "#".repeat(1024 * 1024));
    await assert.rejects(files.open(), /larger than 1048576 bytes/);
    await writeFile(files.path, yaml("acme").padEnd(1024 * 1024, "#"));
    assert.deepEqual(ids(await files.open()), ["acme"]);
  });

  test("an empty file is refused, an empty list is accepted", async () => {
    await writeFile(files.path, "");
    await assert.rejects(files.open(), /is empty.*Write \[\]/);
    await writeFile(files.path, "tenants: []\n");
    assert.deepEqual(ids(await files.open()), []);
  });
});

describe("a change", () => {
  beforeEach(() => writeFile(files.path, yaml("acme")));

  test("by rename is loaded", async () => {
    const file = await files.follow();
    const { realms } = file;
    const line = await files.nextLine(() => files.replace(yaml("acme", "beta")));
    assert.deepEqual([line.level, line.tenants], [30, 2]);
    assert.deepEqual(
      realms().map(({ tenant }) => tenant?.id),
      ["acme", "beta"],
    );
    assert.equal(await files.metric("svc_tenants"), 2);
    await files.nextLine(() => files.replace(yaml("beta")));
    assert.deepEqual(ids(file), ["beta"]);
    assert.deepEqual(await files.reloads(), { loaded: 2, faulty: 0, unreadable: 0 });
  });

  test("in place is loaded, even with equal size and times", async () => {
    const file = await files.follow();
    // In one write, so that no poll finds the file truncated.
    await using writer = await openFile(files.path, "r+");
    await files.nextLine(() => writer.write(yaml("beta")));
    assert.deepEqual(ids(file), ["beta"]);
  });

  test("behind the symbolic links of a Kubernetes volume is loaded", async () => {
    for (const [version, id] of Object.entries({ v1: "acme", v2: "beta" })) {
      await mkdir(join(files.folder, version));
      await writeFile(join(files.folder, version, "tenants"), yaml(id));
    }
    await symlink("v1", join(files.folder, "..data"));
    await symlink("..data/tenants", join(files.folder, "tenants"));
    const file = await files.follow(join(files.folder, "tenants"));
    assert.deepEqual(ids(file), ["acme"]);
    await files.nextLine(async () => {
      await symlink("v2", join(files.folder, "..data_tmp"));
      await rename(join(files.folder, "..data_tmp"), join(files.folder, "..data"));
    });
    assert.deepEqual(ids(file), ["beta"]);
  });

  test("to a faulty file keeps the last valid content, is logged once, and can be fixed", async () => {
    const file = await files.follow();
    const faulty = await files.nextLine(() =>
      files.replace(`${yaml("beta")}- tenantId: 7\n  oidc: {issuer: x}\n`),
    );
    assert.deepEqual([faulty.level, faulty.tenants, faulty.faults?.length], [50, 1, 3]);
    assert.deepEqual(ids(file), ["acme"]);
    // The next line is about the next change: no poll in between logged the first one again.
    const other = await files.nextLine(() => files.replace("- ["));
    assert.match(other.faults?.join() ?? "", /^line 1, column/);
    assert.deepEqual(ids(file), ["acme"]);
    const good = await files.nextLine(() => files.replace(yaml("beta")));
    assert.deepEqual([good.level, ids(file)], [30, ["beta"]]);
    assert.equal(files.lines.length, 3);
    assert.deepEqual(await files.reloads(), { loaded: 1, faulty: 2, unreadable: 0 });
  });

  test("to an empty, large or missing file keeps the last valid content", async () => {
    const file = await files.follow();
    const empty = await files.nextLine(() => truncate(files.path));
    assert.match(empty.faults?.join() ?? "", /is empty/);
    const large = await files.nextLine(() => files.replace("#".repeat(1024 * 1024 + 1)));
    assert.match(large.faults?.join() ?? "", /larger than/);
    const gone = await files.nextLine(() => unlink(files.path));
    assert.match(gone.faults?.join() ?? "", /ENOENT/);
    assert.deepEqual([gone.level, gone.tenants, ids(file)], [50, 1, ["acme"]]);
    const back = await files.nextLine(() => files.replace(yaml("acme")));
    assert.deepEqual([back.level, ids(file), files.lines.length], [30, ["acme"], 4]);
    assert.deepEqual(await files.reloads(), { loaded: 1, faulty: 1, unreadable: 2 });
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
    const file = await files.follow();
    await Promise.all([file.stop(), file.stop()]);
    files.registry = new Registry();
    const other = await files.follow();
    await files.nextLine(() => files.replace(yaml("beta")));
    await file.stop();
    assert.deepEqual([ids(file), ids(other), files.lines.length], [["acme"], ["beta"], 1]);
  });
});
