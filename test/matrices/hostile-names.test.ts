/** Hostile file names: no name is interpreted as a command, an option or an address. */
import assert from "node:assert/strict";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { Fixture, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { exists } from "../media/directory.ts";
import { type Truth, truthOfPair } from "../media/truth.ts";

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
      test(`treats ${JSON.stringify(name).slice(0, 60)} only as a name`, async () => {
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

    test("treats such names of y4m files, which the scorer reads directly, only as names", async () => {
      for (const name of ["-r.y4m", "a b'c:d|e.y4m", "%d.y4m"]) {
        await copyFile(reference, fixture.media.file(name));
        await fixture.expectExact(scorer, { reference: fixture.media.file(name), distorted: plain }, truth);
      }
    });

    test("rejects an empty name and a name with a NUL character", async () => {
      await fixture.expectFailure({ reference, distorted: "a\0b.mp4" }, "INVALID_REQUEST", { scorer });
      await fixture.expectFailure({ reference, distorted: "" }, "INVALID_REQUEST", { scorer });
    });

    test("refuses a URL as a URL, not as a missing file", async () => {
      for (const distorted of ["https://cdn.example/a.mp4", "s3://bucket/a.mp4", "file:///a.mp4"])
        await fixture.expectFailure({ reference, distorted }, "URL_NOT_SUPPORTED", { scorer });
      await fixture.expectFailure({ reference, distorted: "concat:a|b" }, "MEDIA_NOT_FOUND", { scorer });
    });
  });
}
