/** What a file is called and where it lies: no name is a command, and only regular files inside the roots are read. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/request.ts";
import { MediaRoots } from "../../src/engine/roots.ts";
import { Failure } from "../../src/platform/failure.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { exists } from "../media/directory.ts";
import { type Truth, truthOfPair } from "../media/truth.ts";
import { Fixture, SCORERS } from "./fixture.ts";

const SMALL = { ...SCENE, frames: 6 };

const NAMES = [
  "-y.mp4",
  "--help.mp4",
  "img%03d.mp4",
  "a:b.mp4",
  "file:x.mp4",
  'it\'s "quoted".mp4',
  "new\nline.mp4",
  "tab\tand\rreturn.mp4",
  "  spaces  .mp4",
  "ünï-日本-🎞.mp4",
  "[0:v],split;[x]scale=1:1\\,y\\\\z.mp4",
  "$(touch pwned) `touch pwned` ;touch pwned|touch pwned&.mp4",
  "*?{a,b}~.mp4",
  "no-extension",
  ".mp4",
  "wrong.y4m.MP4",
  "..mp4..mov",
  `${"long".repeat(62)}.mp4`,
];

for (const scorer of SCORERS) {
  describe(`hostile names, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let reference: string;
    let plain: string;
    let truth: Truth;

    before(async () => {
      fixture = await Fixture.open();
      reference = await pristine(fixture.media, "reference.y4m", SMALL);
      plain = await encode(fixture.media, "plain.mp4", SMALL, LOSSY.h264);
      truth = await truthOfPair(fixture.media, { reference, distorted: plain }, SMALL, {
        oracle: scorer.oracle,
      });
    });
    after(() => fixture.close());

    for (const name of NAMES) {
      test(`the name ${JSON.stringify(name).slice(0, 60)} is only a name`, async () => {
        const folder = fixture.media.file(`in ${name}`.slice(0, 250));
        await mkdir(folder, { recursive: true });
        await copyFile(plain, `${folder}/${name}`);
        await fixture.expectExact(scorer, { reference, distorted: `${folder}/${name}` }, truth);
        await rm(`${folder}/${name}`);
        const failure = await fixture.expectFailure(
          { reference, distorted: `${folder}/${name}` },
          "MEDIA_NOT_FOUND",
        );
        assert.doesNotMatch(failure.message, /[\n\r\t]/);
        for (const place of [folder, fixture.media.path, process.cwd()])
          assert.ok(!(await exists(`${place}/pwned`)));
      });
    }

    test("y4m and raw files under such names go straight to the scorer and stay names", async () => {
      for (const name of ["-r.y4m", "a b'c:d|e.y4m", "%d.y4m"]) {
        await copyFile(reference, fixture.media.file(name));
        await fixture.expectExact(scorer, { reference: fixture.media.file(name), distorted: plain }, truth);
      }
    });

    test("a name with a NUL, and an empty one, are malformed", async () => {
      await fixture.expectFailure({ reference, distorted: "a\0b.mp4" }, "INVALID_REQUEST", { scorer });
      await fixture.expectFailure({ reference, distorted: "" }, "INVALID_REQUEST", { scorer });
    });
  });
}

describe("places", () => {
  let fixture: Fixture;
  let reference: string;
  let plain: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media, "reference.y4m", SMALL);
    plain = await encode(fixture.media, "plain.mp4", SMALL, LOSSY.h264);
  });
  after(() => fixture.close());

  test("FIFOs, devices, sockets and directories are not read", async () => {
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

  test("links that lead in a circle or nowhere", async () => {
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

  test("outside the media root nothing is read, nor is told whether it exists", async () => {
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
    assert.equal(details.size, 1, "every refusal says the same");
    await fixture.expectFailure({ ...inside, distorted: `${root}/missing.mp4` }, "MEDIA_NOT_FOUND", {
      engine,
    });
  });

  test("a name that is swapped for another file meanwhile never lets the outside in", async () => {
    const root = fixture.media.file("swap");
    await mkdir(root);
    await copyFile(reference, `${root}/reference.y4m`);
    const secret = await encode(fixture.media, "secret.mp4", { ...SMALL, frames: 3 }, LOSSY.h264);
    await copyFile(plain, `${root}/mine.mp4`);
    const engine = await fixture.engine(SCORERS[0], { mediaRoots: new MediaRoots([root]) });
    let stop = false;
    const swapping = (async () => {
      for (let turn = 0; !stop; turn++) {
        await symlink(turn % 2 === 0 ? secret : `${root}/mine.mp4`, `${root}/next`);
        await rename(`${root}/next`, `${root}/name.mp4`);
      }
    })();
    const seen = new Set<string>();
    try {
      for (let round = 0; round < 40; round++) {
        const pair = pairRequest({ reference: `${root}/reference.y4m`, distorted: `${root}/name.mp4` });
        const outcome = await engine.score(pair, { timeoutMs: 20_000 }).then(
          (result) => `${result.frameCount}`,
          (thrown: unknown) => (thrown instanceof Failure ? thrown.code : String(thrown)),
        );
        seen.add(outcome);
      }
    } finally {
      stop = true;
      await swapping;
    }
    const harmless = new Set([
      `${SMALL.frames}`,
      "PATH_NOT_ALLOWED",
      "MEDIA_NOT_FOUND",
      "MEDIA_NOT_READABLE",
      "MEDIA_NOT_A_FILE",
    ]);
    assert.deepEqual(
      [...seen].filter((outcome) => !harmless.has(outcome)),
      [],
    );
    assert.deepEqual(await fixture.media.leftovers(), []);
  });

  test("a file that never ends runs into the time limit", async () => {
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
