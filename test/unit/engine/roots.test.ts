import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { MediaRoots } from "../../../src/engine/roots.ts";

async function tree(t: TestContext) {
  const base = await realpath(await mkdtemp(join(tmpdir(), "roots-")));
  t.after(() => rm(base, { recursive: true }));
  const root = join(base, "media");
  await mkdir(join(root, "films"), { recursive: true });
  await mkdir(join(base, "media-of-others"));
  await writeFile(join(root, "films", "a.mp4"), "x");
  await writeFile(join(base, "secret.mp4"), "x");
  await writeFile(join(base, "media-of-others", "b.mp4"), "x");
  await symlink(join(base, "secret.mp4"), join(root, "out.mp4"));
  await symlink(join(base, "nowhere.mp4"), join(root, "dangling.mp4"));
  await symlink("films/a.mp4", join(root, "in.mp4"));
  await symlink("loop.mp4", join(root, "loop.mp4"));
  return { base, root, roots: new MediaRoots([root]) };
}

test("a file inside is found, through a symlink that stays inside too", async (t) => {
  const { root, roots } = await tree(t);
  assert.equal(await roots.resolve(join(root, "films/a.mp4")), join(root, "films/a.mp4"));
  assert.equal(await roots.resolve(join(root, "in.mp4")), join(root, "films/a.mp4"));
});

test("everything outside is refused alike, whether or not it exists", async (t) => {
  const { base, root, roots } = await tree(t);
  const outside = [
    ...[join(base, "secret.mp4"), join(base, "no-such.mp4"), "/etc/passwd", "/no/such/file", base],
    ...[`${root}/../secret.mp4`, `${root}/films/../../no-such.mp4`, join(base, "media-of-others/b.mp4")],
    ...[
      join(root, "out.mp4"),
      join(root, "dangling.mp4"),
      join(root, "loop.mp4"),
      join(root, "dangling.mp4/x"),
    ],
  ];
  for (const path of outside) await assert.rejects(roots.resolve(path), { code: "PATH_NOT_ALLOWED" }, path);
});

test("inside, a missing file keeps its path, to be reported as missing", async (t) => {
  const { root, roots } = await tree(t);
  assert.equal(await roots.resolve(join(root, "films/none.mp4")), join(root, "films/none.mp4"));
  assert.equal(await roots.resolve(join(root, "no/such/none.mp4")), join(root, "no/such/none.mp4"));
});

test("a root that does not exist holds nothing", async (t) => {
  const { base, root } = await tree(t);
  await assert.rejects(new MediaRoots([join(base, "gone")]).resolve(join(root, "films/a.mp4")), {
    code: "PATH_NOT_ALLOWED",
  });
});
