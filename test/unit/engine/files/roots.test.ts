import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { MediaRoots } from "../../../../src/engine/files/roots.ts";

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

test("finds a file inside, also through a symlink that stays inside", async (t) => {
  const { root, roots } = await tree(t);
  assert.equal(await roots.resolve(join(root, "films/a.mp4")), join(root, "films/a.mp4"));
  assert.equal(await roots.resolve(join(root, "in.mp4")), join(root, "films/a.mp4"));
});

test("refuses everything outside in the same way, whether or not it exists", async (t) => {
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

test("returns the path of a missing file inside, so that it can be reported as missing", async (t) => {
  const { root, roots } = await tree(t);
  assert.equal(await roots.resolve(join(root, "films/none.mp4")), join(root, "films/none.mp4"));
  assert.equal(await roots.resolve(join(root, "no/such/none.mp4")), join(root, "no/such/none.mp4"));
});

test("refuses every path of a root that does not exist", async (t) => {
  const { base, root } = await tree(t);
  await assert.rejects(new MediaRoots([join(base, "gone")]).resolve(join(root, "films/a.mp4")), {
    code: "PATH_NOT_ALLOWED",
  });
});

describe("{tenant} in a root", () => {
  async function tenants(t: TestContext) {
    const base = await realpath(await mkdtemp(join(tmpdir(), "roots-")));
    t.after(() => rm(base, { recursive: true }));
    for (const directory of ["a", "b", "%2E%2E", "{tenant}", "shared"]) {
      await mkdir(join(base, directory));
      await writeFile(join(base, directory, "film.mp4"), "x");
    }
    await symlink(join(base, "b/film.mp4"), join(base, "a/of-b.mp4"));
    await symlink(join(base, "shared/film.mp4"), join(base, "a/shared.mp4"));
    return { base, roots: new MediaRoots([join(base, "{tenant}"), join(base, "shared")]) };
  }

  test("resolves to the tenant's directory; other tenants' are refused, shared ones are allowed", async (t) => {
    const { base, roots } = await tenants(t);
    const film = (directory: string): string => join(base, directory, "film.mp4");
    for (const [tenant, own] of [
      ["a", "a"],
      ["b", "b"],
      ["..", "%2E%2E"],
    ] as const) {
      for (const directory of ["a", "b", "%2E%2E", "{tenant}", "shared", "no-such"]) {
        const resolved = roots.of(tenant).resolve(film(directory));
        if (directory === own || directory === "shared") assert.equal(await resolved, film(directory));
        else await assert.rejects(resolved, { code: "PATH_NOT_ALLOWED" }, `${tenant} reads ${directory}`);
      }
    }
  });

  test("refuses symlinks into another tenant's directory", async (t) => {
    const { base, roots } = await tenants(t);
    await assert.rejects(roots.of("a").resolve(join(base, "a/of-b.mp4")), { code: "PATH_NOT_ALLOWED" });
    assert.equal(await roots.of("a").resolve(join(base, "a/shared.mp4")), join(base, "shared/film.mp4"));
  });

  test("contains nothing for a tenant without a directory, and nothing without a tenant", async (t) => {
    const { base, roots } = await tenants(t);
    for (const own of [roots.of("c"), roots]) {
      for (const path of ["a/film.mp4", "c/film.mp4", "{tenant}/film.mp4", "film.mp4"]) {
        await assert.rejects(own.resolve(join(base, path)), { code: "PATH_NOT_ALLOWED" }, path);
      }
      assert.equal(await own.resolve(join(base, "shared/film.mp4")), join(base, "shared/film.mp4"));
    }
  });
});

describe("a path for another machine", () => {
  test("is checked on the file system if the root exists here", async (t) => {
    const { base, root, roots } = await tree(t);
    for (const path of [
      "films/a.mp4",
      "in.mp4",
      "films/none.mp4",
      "films/../films/a.mp4",
      "//films//a.mp4",
    ]) {
      await roots.refuseOutside(`${root}/${path}`);
    }
    const outside = [
      "out.mp4",
      "dangling.mp4",
      "loop.mp4",
      "../secret.mp4",
      "../none.mp4",
      "films/../../secret.mp4",
    ];
    for (const path of [...outside.map((name) => `${root}/${name}`), `${base}/media-of-others/b.mp4`, "/"]) {
      await assert.rejects(roots.refuseOutside(path), { code: "PATH_NOT_ALLOWED" }, path);
    }
  });

  test("must begin with the root or the target of its symlink; other aliases are refused", async (t) => {
    const { base, root } = await tree(t);
    await symlink(root, join(base, "link"));
    await symlink(base, join(base, "films-of-all"));
    const linked = new MediaRoots([join(base, "link")]);
    await linked.refuseOutside(join(base, "link/films/a.mp4"));
    await linked.refuseOutside(join(root, "films/a.mp4"));
    const alias = join(base, "films-of-all/media/films/a.mp4");
    await assert.rejects(linked.refuseOutside(alias), { code: "PATH_NOT_ALLOWED" });
  });

  test("is checked by name only if the root does not exist here", async () => {
    const roots = new MediaRoots(["/no/such/{tenant}/media"]).of("a");
    for (const path of ["/no/such/a/media/film.mp4", "/no/such/a/media/x/../film.mp4", "/no/such/a/media"]) {
      await roots.refuseOutside(path);
    }
    for (const path of [
      ...["/no/such/b/media/film.mp4", "/no/such/a/media/../film.mp4", "/no/such/a/media-2/film.mp4"],
      ...["/no/such/a/media/../../b/media/film.mp4", "/no/such/{tenant}/media/film.mp4", "/etc/passwd"],
    ]) {
      await assert.rejects(roots.refuseOutside(path), { code: "PATH_NOT_ALLOWED" }, path);
    }
  });

  test("is refused if it is relative, because it would be another file there", async () => {
    const roots = new MediaRoots(["."]);
    for (const path of ["film.mp4", "./film.mp4", "package.json", "~/film.mp4", "file:///film.mp4"]) {
      await assert.rejects(roots.refuseOutside(path), { code: "PATH_NOT_ALLOWED" }, path);
    }
  });
});
