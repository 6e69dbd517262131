import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ProgramDigests } from "../../../../src/engine/programs/digest.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "digest-"));
});
after(() => rm(folder, { recursive: true }));

test("identifies a program and its libraries, by their content", async () => {
  const [one, same, other] = [join(folder, "one"), join(folder, "same"), join(folder, "other")];
  await copyFile("/bin/ls", one);
  await symlink(one, same);
  await copyFile("/bin/cat", other);
  const digests = new ProgramDigests();
  const digest = await digests.of([one]);
  assert.match(digest ?? "", /^[0-9a-f]{64}$/);
  assert.equal(await digests.of([same]), digest);
  assert.equal(await digests.of([one, same]), await digests.of([one, one, same]));
  assert.notEqual(await digests.of([other]), digest);
});

test("notices a program that was replaced, also by one of the same size and time", async () => {
  const path = join(folder, "program");
  const digests = new ProgramDigests();
  const time = new Date(2020, 1, 1);
  const seen: (string | undefined)[] = [];
  for (const program of ["/bin/ls", "/bin/cat", "/bin/ls"]) {
    await rm(path, { force: true });
    await copyFile(program, path);
    await utimes(path, time, time);
    seen.push(await digests.of([path]), await digests.of([path]));
  }
  assert.equal(new Set(seen).size, 2);
  assert.deepEqual(seen.slice(0, 2), seen.slice(4));
});

test("does not identify a script, and a program that is missing", async () => {
  const script = join(folder, "script");
  await writeFile(script, "#!/bin/sh\n", { mode: 0o755 });
  const digests = new ProgramDigests();
  assert.equal(await digests.of([script]), undefined);
  assert.equal(await digests.of([join(folder, "none")]), undefined);
  assert.match((await digests.of(["/bin/ls"])) ?? "", /^[0-9a-f]{64}$/);
});
