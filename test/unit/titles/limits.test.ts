/** Small manifests that stand for very much: refused before it is listed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDash } from "../../../src/titles/dash.ts";
import { readHls } from "../../../src/titles/hls.ts";
import { FilePlaces } from "../../../src/titles/places.ts";

const INVALID = "MANIFEST_INVALID";
const UNSUPPORTED = "MANIFEST_UNSUPPORTED";

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join("");
const mpd = (content: string) => `<MPD mediaPresentationDuration="PT100000S">${content}</MPD>`;
const title = (segments: string, representations = 1) =>
  mpd(
    `<Period><AdaptationSet mimeType="video/mp4">${segments}${many(representations, (id) => `<Representation id="${id}"/>`)}</AdaptationSet></Period>`,
  );
const timeline = (entries: string, attributes = "") =>
  title(
    `<SegmentTemplate media="$Time$" ${attributes}><SegmentTimeline>${entries}</SegmentTimeline></SegmentTemplate>`,
  );
const A_SECOND = '<SegmentTemplate media="$Number$" duration="1"/>';

const TOO_MANY = /more than 100000 segments/;
const XML = /is not valid XML/;

const MPDS: Readonly<Record<string, readonly [text: string, message: RegExp, code?: string]>> = {
  "repeats until the end of a long title": [timeline('<S d="1" r="-1"/>', 'timescale="1000000"'), TOO_MANY],
  "repeats until a late entry": [timeline('<S t="0" d="1" r="-1"/><S t="99999999999" d="1"/>'), TOO_MANY],
  "more repeats than a number holds": [timeline('<S d="1" r="99999999999999999999"/>'), TOO_MANY],
  "a timescale of the set": [
    title('<SegmentTemplate timescale="4000000000"/>', 0).replace(
      "</AdaptationSet>",
      `<Representation id="1">${A_SECOND}</Representation></AdaptationSet>`,
    ),
    TOO_MANY,
  ],
  "a late last number": [
    title('<SegmentTemplate media="$Number$" duration="1" endNumber="4000000000"/>'),
    TOO_MANY,
  ],
  "two periods of three renditions of 100,000 segments": [
    mpd(
      title(A_SECOND, 3)
        .match(/<Period>.*<.Period>/)?.[0]
        .replace(">", ' duration="PT100000S">')
        .repeat(2) ?? "",
    ),
    /more than 500000 segments/,
  ],
  "101 renditions": [title(A_SECOND.replace('"1"', '"100000"'), 101), /more than 100 renditions/],
  "a duration of many digits": [mpd(`<Period duration="PT${"9".repeat(400)}S"/>`), /wrong duration/],
  "a long address": [title(`<BaseURL>${"a/".repeat(501)}</BaseURL>${A_SECOND}`), /1000/, UNSUPPORTED],
  "a template of many identifiers": [
    title(`<SegmentTemplate media="${"$Number$".repeat(20)}" duration="1"/>`),
    /more than 20/,
    UNSUPPORTED,
  ],
  "a number of many digits": [
    title('<SegmentTemplate media="$Number%0999999999d$" duration="1"/>'),
    /no value/,
    UNSUPPORTED,
  ],
  "60 KB of tags that are not closed": [`<MPD>${"<a>".repeat(20_000)}`, /more than 32 deep/],
  "60 KB of tags that do not end": [`<MPD>${"<a".repeat(30_000)}`, XML],
  "500,001 elements": [mpd("<a/>".repeat(500_000)), /more than 500000 elements/],
  "many attributes": [mpd(`<a ${many(101, (index) => `a${index}="" `)}/>`), /more than 100 attributes/],
  "an attribute twice": ['<MPD a="1" a="2"/>', /fault at 1:18 \(duplicate attribute: a\)/],
  "millions of ampersands": [mpd("&".repeat(2_000_000)), XML],
  "millions of spaces": [`<MPD ${" ".repeat(2_000_000)}`, XML],
  "a document type": ["<!DOCTYPE MPD><MPD/>", /document type/],
  "an unknown entity": ["<MPD>&nbsp;</MPD>", /undefined entity/],
  "a character that is none": ["<MPD>&#x110000;</MPD>", /malformed character/],
  "two roots": ["<MPD/><MPD/>", /only one root/],
  "text after the root": ["<MPD/>x", /outside of root/],
  "tags that cross": ["<MPD><a><b></a></b></MPD>", /unexpected close tag/],
  "a comment without an end": ["<MPD/><!-- ", /unexpected end/],
};

const places = new FilePlaces("/t/title");

for (const [what, [text, message, code = INVALID]] of Object.entries(MPDS)) {
  test(`an MPD with ${what} is refused`, () =>
    assert.throws(() => readDash(text, places), { code, message }));
}

const HEAD = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n";
const END = "#EXT-X-ENDLIST\n";

const PLAYLISTS: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  "a duration that is text": [`${HEAD}#EXTINF:abc,\n1.ts\n${END}`, /wrong duration: "#EXTINF:abc,"/],
  "a duration that begins with a number": [`${HEAD}#EXTINF:2s,\n1.ts\n${END}`, /wrong duration/],
  "no duration": [`${HEAD}#EXTINF\n1.ts\n${END}`, /wrong duration/],
  "100,001 segments": [`${HEAD}${"#EXTINF:1,\na\n".repeat(100_001)}${END}`, TOO_MANY],
  "a million lines": [`${HEAD}${"\n".repeat(1_000_000)}${END}`, /more than 1000000 lines/],
  "5000 variants": [
    `#EXTM3U\n${"#EXT-X-STREAM-INF:BANDWIDTH=1\na\n".repeat(5000)}`,
    /master playlist of more than 10000 lines/,
  ],
};

for (const [what, [text, message]] of Object.entries(PLAYLISTS)) {
  test(`a playlist with ${what} is refused`, () =>
    assert.rejects(readHls(text, places, assert.fail), { code: INVALID, message }));
}

test("playlists of more than 500,000 segments together are refused", async () => {
  const media = `${HEAD}${"#EXTINF:1,\na\n".repeat(100_000)}${END}`;
  const master = `#EXTM3U\n${many(6, (index) => `#EXT-X-STREAM-INF:BANDWIDTH=1\n${index}\n`)}`;
  const reading = readHls(master, places, () => Promise.resolve(media));
  await assert.rejects(reading, { code: INVALID, message: /more than 500000 segments/ });
});

test("a playlist with titles of segments and ranges of dates is read", async () => {
  const dates = '#EXT-X-DATERANGE:ID="1",CLASS="c",START-DATE="2020-01-01T00:00:00Z"\n';
  const text = `${HEAD}${many(20_000, (index) => `${dates}#EXTINF:1.5,Épisode\n${index}.ts\n`)}${END}`;
  const [rendition] = await readHls(text, places, assert.fail);
  assert.equal(rendition?.segments.length, 20_000);
  assert.equal(rendition.segments[0]?.seconds, 1.5);
});
