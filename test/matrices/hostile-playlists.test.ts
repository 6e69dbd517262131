/** Text that makes a demuxer open other files or hosts is refused under every name, and nothing is opened. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Fixture } from "../engine/fixture.ts";
import { CanaryFile, CanaryPort } from "../media/canary.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { FFMPEG } from "../media/ffmpeg.ts";

const run = promisify(execFile);

/** Each text refers to a file or an address. */
const PLAYLISTS: Readonly<Record<string, (target: string) => string>> = {
  hls: (target) =>
    `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:1.2,\n${target}\n#EXT-X-ENDLIST\n`,
  dash: (target) => `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1.2S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">
<Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1" codecs="avc1.42c01e" width="${SCENE.width}" height="${SCENE.height}">
<BaseURL>${target}</BaseURL><SegmentBase/></Representation></AdaptationSet></Period></MPD>`,
  ffconcat: (target) => `ffconcat version 1.0\nfile '${target}'\n`,
};

/** Extensions that disguise such a text. */
const NAMES = ["mp4", "mkv", "ts", "y4m", "m3u8", "mpd", "ffconcat", "txt"];

/** Texts that only open sockets or run scripts. */
const OTHERS: Readonly<Record<string, (port: number) => string>> = {
  "stream.sdp": (port) =>
    `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${port} RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
  "stream.mp4": (port) => `rtsp://127.0.0.1:${port}/\n`,
  "list.asx": (port) => `<asx version="3.0"><entry><ref href="http://127.0.0.1:${port}/x"/></entry></asx>`,
  "list.m3u": (port) => `#EXTM3U\nhttp://127.0.0.1:${port}/x.ts\n`,
  "script.avs": () => 'FFVideoSource("/etc/passwd")\n',
  "package.xml": (port) =>
    `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>urn:uuid:x</Id><A>http://127.0.0.1:${port}/</A></CompositionPlaylist>`,
};

describe("hostile playlists", () => {
  let fixture: Fixture;
  let port: CanaryPort;
  let reference: string;

  before(async () => {
    fixture = await Fixture.open();
    port = await CanaryPort.open();
    reference = await pristine(fixture.media);
  });
  after(async () => {
    await port.close();
    await fixture.close();
  });

  for (const [kind, write] of Object.entries(PLAYLISTS)) {
    test(`the ${kind} text makes an unguarded ffmpeg open another file`, async () => {
      const clip = await encode(fixture.media, `clip-${kind}.mp4`, {}, LOSSY.h264);
      const target = kind === "dash" ? clip : await remux(fixture.media, clip, `clip-${kind}.ts`);
      // ffmpeg 7 checks only the extension of HLS texts.
      const text = fixture.media.file(kind === "hls" ? "unguarded.m3u8" : `unguarded.${kind}.mp4`);
      await writeFile(text, write(target.slice(target.lastIndexOf("/") + 1)));
      const unguarded = ["-safe", "0"].filter(() => kind === "ffconcat");
      await run(FFMPEG, ["-v", "error", "-nostdin", ...unguarded, "-i", text, "-f", "null", "-"]);
    });

    for (const extension of NAMES) {
      test(`${kind} text named .${extension} is refused without reading a file or opening a connection`, async () => {
        const canary = await CanaryFile.open(fixture.media.file(`canary-${kind}-${extension}.ts`));
        try {
          for (const target of [
            canary.path,
            `canary-${kind}-${extension}.ts`,
            `http://127.0.0.1:${port.port}/x.ts`,
          ]) {
            const text = fixture.media.file(`${kind}.${extension}`);
            await writeFile(text, write(target));
            for (const pair of [
              { reference, distorted: text },
              { reference: text, distorted: reference },
            ]) {
              const failure = await fixture.expectFailure(pair, [
                "MEDIA_UNSUPPORTED",
                "MEDIA_CORRUPT",
                "MEDIA_NO_VIDEO",
              ]);
              assert.doesNotMatch(failure.message, /canary/, "the message does not contain the text");
            }
          }
          assert.ok(await canary.untouched(), "the file was read");
          assert.equal(port.connections, 0);
        } finally {
          await canary.close();
        }
      });
    }
  }

  for (const [name, write] of Object.entries(OTHERS)) {
    test(`${name} is refused without a connection`, async () => {
      const text = fixture.media.file(name);
      await writeFile(text, write(port.port));
      await fixture.expectFailure({ reference, distorted: text }, [
        "MEDIA_UNSUPPORTED",
        "MEDIA_CORRUPT",
        "MEDIA_NO_VIDEO",
      ]);
      assert.equal(port.connections, 0);
    });
  }

  test("a path with a protocol is refused as a URL or a missing file", async () => {
    const canary = await CanaryFile.open(fixture.media.file("canary-protocol.ts"));
    try {
      for (const path of [
        `concat:${canary.path}|${canary.path}`,
        `subfile,,start,0,end,0,,:${canary.path}`,
        "data:video/mp4;base64,AAAAIGZ0eXBpc29t",
        `http://127.0.0.1:${port.port}/x.mp4`,
        `tcp://127.0.0.1:${port.port}`,
        `file:${reference}`,
        `crypto:${canary.path}`,
        `cache:${canary.path}`,
        `async:${canary.path}`,
        "pipe:0",
        "fd:0",
        "lavfi:testsrc",
        "-",
      ]) {
        const code = path.includes("://") ? "URL_NOT_SUPPORTED" : "MEDIA_NOT_FOUND";
        await fixture.expectFailure({ reference, distorted: path }, code);
        await fixture.expectFailure({ reference: path, distorted: reference }, code);
      }
      assert.ok(await canary.untouched(), "the file was read");
      assert.equal(port.connections, 0);
    } finally {
      await canary.close();
    }
  });
});
