/** Hostile paths: only regular files inside the media roots are read, even if their names change meanwhile. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import { openSource } from "../../src/engine/files/source.ts";
import { Failure } from "../../src/platform/failure.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { until } from "../waiting.ts";
import { Fixture, SCORERS } from "./fixture.ts";

const SMALL = { ...SCENE, frames: 6 };

describe("paths", () => {
  let fixture: Fixture;
  let reference: string;
  let plain: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media, "reference.y4m", SMALL);
    plain = await encode(fixture.media, "plain.mp4", SMALL, LOSSY.h264);
  });
  after(() => fixture.close());

  test("to FIFOs, devices, sockets and directories are refused", async () => {
    const fifo = fixture.media.file("fifo.mp4");
    execFileSync("mkfifo", [fifo]);
    const socketPath = fixture.media.file("socket.mp4");
    const socket = createServer();
    await new Promise<void>((resolve) => socket.listen(socketPath, resolve));
    const link = fixture.media.file("zero.y4m");
    await symlink("/dev/zero", link);
    try {
      for (const path of [
        fifo,
        socketPath,
        link,
        "/dev/zero",
        "/dev/null",
        "/dev/random",
        "/dev",
        fixture.media.path,
      ]) {
        await fixture.expectFailure({ reference, distorted: path }, "MEDIA_NOT_A_FILE");
        await fixture.expectFailure({ reference: path, distorted: plain }, "MEDIA_NOT_A_FILE");
      }
      for (const path of ["/dev/stdin", "/proc/self/fd/0"]) {
        await fixture.expectFailure({ reference, distorted: path }, [
          "MEDIA_NOT_A_FILE",
          "MEDIA_NOT_FOUND",
          "MEDIA_NO_FRAMES",
          "MEDIA_UNSUPPORTED",
        ]);
      }
    } finally {
      await new Promise((resolve) => socket.close(resolve));
    }
  });

  test("to symlink loops and dangling symlinks are refused", async () => {
    const [a, b, c] = ["a.mp4", "b.mp4", "c.mp4"].map((name) => fixture.media.file(name)) as [
      string,
      string,
      string,
    ];
    await symlink(a, b);
    await symlink(b, a);
    await symlink(fixture.media.file("gone.mp4"), c);
    await fixture.expectFailure({ reference, distorted: a }, ["MEDIA_NOT_READABLE", "MEDIA_NOT_FOUND"]);
    await fixture.expectFailure({ reference, distorted: c }, "MEDIA_NOT_FOUND");
  });

  test("outside the media root are refused without revealing whether they exist", async () => {
    const root = fixture.media.file("root");
    const outside = fixture.media.file("root-beside");
    await mkdir(`${root}/inner`, { recursive: true });
    await mkdir(outside);
    await copyFile(plain, `${root}/inner/plain.mp4`);
    await copyFile(reference, `${root}/reference.y4m`);
    await copyFile(plain, `${outside}/plain.mp4`);
    await symlink(`${root}/inner/plain.mp4`, `${root}/link-inside.mp4`);
    await symlink(`${outside}/plain.mp4`, `${root}/link-outside.mp4`);
    await symlink(`${outside}/missing.mp4`, `${root}/link-missing.mp4`);
    await symlink(outside, `${root}/folder`);
    const engine = await fixture.engine(SCORERS[0], { mediaRoots: new MediaRoots([root]) });
    const inside = { reference: `${root}/reference.y4m` };
    for (const path of [
      `${root}/inner/plain.mp4`,
      `${root}/link-inside.mp4`,
      `${root}/inner/../inner/plain.mp4`,
    ]) {
      const result = await engine.score(pairRequest({ ...inside, distorted: path }));
      assert.equal(result.frameCount, SMALL.frames);
    }
    const details = new Set<string>();
    for (const path of [
      ...[`${outside}/plain.mp4`, `${outside}/missing.mp4`, `${root}/../root-beside/plain.mp4`],
      ...[
        `${root}/link-outside.mp4`,
        `${root}/link-missing.mp4`,
        `${root}/folder/plain.mp4`,
        `${root}/folder/no.mp4`,
      ],
      ...["/etc/passwd", "/etc/missing", "/dev/zero"],
    ]) {
      const failure = await fixture.expectFailure({ ...inside, distorted: path }, "PATH_NOT_ALLOWED", {
        engine,
      });
      details.add(failure.message.replaceAll(JSON.stringify(path), "PATH"));
      assert.equal(failure.found, undefined);
    }
    assert.equal(details.size, 1, "every refusal has the same message");
    await fixture.expectFailure({ ...inside, distorted: `${root}/missing.mp4` }, "MEDIA_NOT_FOUND", {
      engine,
    });
  });

  test("never lead outside when a folder or a name is swapped meanwhile", async () => {
    const root = fixture.media.file("swap");
    const outside = fixture.media.file("swap-outside");
    await mkdir(`${root}/folder`, { recursive: true });
    await mkdir(outside);
    await writeFile(`${root}/folder/name.mp4`, "mine");
    await writeFile(`${outside}/name.mp4`, "a secret");
    await symlink(outside, `${root}/link`);
    await symlink(`${outside}/name.mp4`, `${root}/folder/other`);
    const roots = new MediaRoots([root]);
    const swapper = new Worker(SWAPPER, { eval: true, workerData: root });
    await new Promise((resolve) => swapper.once("message", resolve));
    const seen = new Set<string>();
    const look = async (): Promise<void> => {
      const opened = await openSource("distorted", `${root}/folder/name.mp4`, roots).catch(
        (thrown: unknown) => thrown,
      );
      if (opened instanceof Failure) seen.add(opened.code);
      else if (opened instanceof Error) throw opened;
      else {
        const source = opened as Awaited<ReturnType<typeof openSource>>;
        seen.add(`${source.size} bytes`);
        await source[Symbol.asyncDispose]();
      }
    };
    try {
      for (let round = 0; round < 4000; round++) await look();
      // If the swapper got little CPU time, none of the looks may have seen a swap.
      await until(
        async () => {
          await look();
          return seen.has("4 bytes") && seen.has("PATH_NOT_ALLOWED");
        },
        () => `both sides of the race: ${[...seen].join(", ")}`,
      );
    } finally {
      await swapper.terminate();
    }
    assert.ok(!seen.has("8 bytes"), "a file outside the root was read");
    assert.deepEqual(
      [...seen].filter((outcome) => !HARMLESS.has(outcome)),
      [],
    );
  });

  test("to huge files end in a timeout or a refusal", async () => {
    const path = fixture.media.file("endless_1280x720.yuv");
    await writeFile(path, "");
    await truncate(path, 1280 * 720 * 1.5 * 500_000);
    await fixture.expectFailure({ reference: path, distorted: path }, "SCORE_TIMEOUT", {
      options: { timeoutMs: 700 },
    });
    const zeros = fixture.media.file("zeros.mp4");
    await writeFile(zeros, "");
    await truncate(zeros, 2 ** 40);
    await fixture.expectFailure(
      { reference, distorted: zeros },
      ["MEDIA_UNSUPPORTED", "MEDIA_CORRUPT", "SCORE_TIMEOUT"],
      {
        options: { timeoutMs: 5000 },
      },
    );
  });
});

const HARMLESS = new Set([
  "4 bytes",
  "PATH_NOT_ALLOWED",
  "MEDIA_NOT_FOUND",
  "MEDIA_NOT_READABLE",
  "MEDIA_NOT_A_FILE",
]);

/** Alternately replaces a folder by a link to the outside, and the file in it by a link to the file there, and back. */
const SWAPPER = `
  const { renameSync } = require("node:fs");
  const { parentPort, workerData: root } = require("node:worker_threads");
  const swap = (name, other) => {
    for (const [from, to] of [[name, "kept"], [other, name], [name, other], ["kept", name]]) {
      renameSync(root + "/" + from, root + "/" + to);
    }
  };
  parentPort.postMessage("ready");
  for (;;) {
    swap("folder", "link");
    swap("folder/name.mp4", "folder/other");
  }
`;
