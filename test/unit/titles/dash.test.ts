/** MPDs: the files of each rendition in their order, or a refusal that names what is not supported. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDash } from "../../../src/titles/dash.ts";
import { FilePlaces } from "../../../src/titles/places.ts";

const TOTAL = 'mediaPresentationDuration="PT10S"';

function mpd(content: string, attributes = TOTAL): string {
  return `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" ${attributes}>${content}</MPD>`;
}

const period = (content: string, attributes = "") => `<Period ${attributes}>${content}</Period>`;
const set = (content: string) => `<AdaptationSet mimeType="video/mp4">${content}</AdaptationSet>`;
const representation = (id: string, content = "") =>
  `<Representation id="${id}" bandwidth="1000" width="16" height="9">${content}</Representation>`;
const template = (attributes: string, entries = "") =>
  `<SegmentTemplate initialization="$RepresentationID$.mp4" ${attributes}>${
    entries && `<SegmentTimeline>${entries}</SegmentTimeline>`
  }</SegmentTemplate>`;
const NUMBERED = template('media="$RepresentationID$-$Number$" duration="4"');

const PLAIN = set(NUMBERED + representation("v"));
const single = (content: string, attributes?: string) =>
  mpd(period(set(representation("v", content))), attributes);
const timeline = (entries: string, attributes = "") =>
  single(template(`media="$Time$" ${attributes}`, entries));

const read = (text: string) => readDash(text, new FilePlaces("/t/title.mpd"));
const nameOf = (file: string | undefined) => file?.replace("/t/", "");
/** The files of each rendition, with "|" before a discontinuity. */
const filesOf = (text: string) =>
  read(text).map(({ segments }) =>
    segments.map(({ file, isDiscontinuous }) => `${isDiscontinuous ? "|" : ""}${nameOf(file)}`).join(" "),
  );
const secondsOf = (text: string) =>
  read(text).map(({ segments }) => segments.map(({ seconds }) => seconds).join(" "));

const FILES: Readonly<Record<string, readonly [text: string, ...renditions: string[]]>> = {
  "periods with BaseURLs of their own": [
    mpd(
      period(`<BaseURL>a/</BaseURL>${PLAIN}`, 'duration="PT4S"') +
        period(`<BaseURL>b/</BaseURL>${PLAIN}`, 'duration="PT8S"'),
    ),
    "a/v-1 |b/v-1 b/v-2",
  ],
  "periods of which only the starts are known": [
    mpd(["0", "4"].map((start) => period(PLAIN, `start="PT${start}S"`)).join("")),
    "v-1 |v-1 v-2",
  ],
  "periods whose representations have another order": [
    mpd(
      period(set(NUMBERED + representation("v") + representation("w")), 'duration="PT4S"') +
        period(set(NUMBERED + representation("w")) + PLAIN, 'duration="PT4S"'),
    ),
    "v-1 |v-1",
    "w-1 |w-1",
  ],
  "one id in two sets": [
    mpd(
      period(
        ["a", "b"]
          .map((name) => set(representation("v", template(`media="${name}$Number$" duration="5"`))))
          .join(""),
      ),
    ),
    "a1 a2",
    "b1 b2",
  ],
  "alternative BaseURLs": [
    mpd(`<BaseURL>a/</BaseURL><BaseURL>b/</BaseURL>${period(PLAIN)}`),
    "a/v-1 a/v-2 a/v-3",
  ],
  "a set for trick mode": [
    mpd(
      period(
        PLAIN +
          set(
            `<EssentialProperty schemeIdUri="http://dashif.org/guidelines/trickmode" value="1"/>${NUMBERED}${representation("fast")}`,
          ),
      ),
    ),
    "v-1 v-2 v-3",
  ],
  "audio, text and images": [
    mpd(
      period(
        `<AdaptationSet contentType="audio" mimeType="audio/mp4">${representation("a")}</AdaptationSet>${PLAIN}<AdaptationSet mimeType="image/jpeg">${representation("i")}</AdaptationSet>`,
      ),
    ),
    "v-1 v-2 v-3",
  ],
  "the number of the last segment": [
    single(template('media="$Number%03d$" duration="2" startNumber="5" endNumber="7"')),
    "005 006 007",
  ],
  "a timescale that is inherited": [
    mpd(
      period(
        set(
          `<SegmentTemplate timescale="1000"/>${representation("v", template('media="$Number$" duration="5000"'))}`,
        ),
      ),
    ),
    "1 2",
  ],
  "a duration that is no multiple in binary": [
    single(
      template('media="$Number$" timescale="1000" duration="2002"'),
      'mediaPresentationDuration="PT6.006S"',
    ),
    "1 2 3",
  ],
  "a timeline that repeats until its period ends": [
    mpd(
      period(PLAIN, 'duration="PT4S"') +
        period(
          set(
            representation(
              "v",
              template('media="$Time$" presentationTimeOffset="100"', '<S t="100" d="2"/><S d="3" r="-1"/>'),
            ),
          ),
          'duration="PT6S"',
        ),
    ),
    "v-1 |100 102 105",
  ],
  "a timeline that repeats until its next entry": [
    timeline('<S t="0" d="2" r="-1"/><S t="6" d="2"/>'),
    "0 2 4 6",
  ],
  "times that are off by a unit": [
    timeline('<S t="0" d="90"/><S t="89" d="90"/><S t="180" d="90"/>'),
    "0 89 180",
  ],
  "times of 64 bits": [
    timeline('<S t="17000000000000000001" d="10000000" r="1"/>', 'timescale="10000000"'),
    "17000000000000000001 17000000000010000001",
  ],
  "a short last segment that is off by a unit": [timeline('<S t="0" d="90"/><S t="91" d="1"/>'), "0 91"],
  "a timeline and the number of its last segment": [
    single(template('media="$Number$" endNumber="2"', '<S d="2" r="4"/>')),
    "1 2",
  ],
  "dollars in a name": [single(template('media="$$$Number$$$" duration="10"')), "$1$"],
  "a file without any information about segments": [single("<BaseURL>v.mp4</BaseURL>"), "v.mp4"],
  "elements of another namespace": [
    single(`${template('media="$Number$" duration="5"')}<o:SegmentBase xmlns:o="urn:other"/>`),
    "1 2",
  ],
  "references to characters and CDATA": [
    single(
      `<BaseURL>a&#38;<![CDATA[&]]>&amp;&#x62;/</BaseURL><!-- <x> -->${template('media="$Number$" duration="10"')}`,
    ),
    "a&&&b/1",
  ],
};

for (const [what, [text, ...renditions]] of Object.entries(FILES)) {
  test(`reads ${what}`, () => assert.deepEqual(filesOf(text), renditions));
}

test("the last segment lasts until the end of its period", () => {
  assert.deepEqual(secondsOf(mpd(period(PLAIN))), ["4 4 2"]);
});

test("a template without an initialization has no init segment", () => {
  const [rendition] = read(single('<SegmentTemplate media="$Number$.ts" duration="10"/>'));
  assert.deepEqual(
    rendition?.segments.map(({ file, init }) => [nameOf(file), init]),
    [["1.ts", undefined]],
  );
});

test("a list of ranges has its init segment in the same file", () => {
  const [rendition] = read(
    single(
      '<BaseURL>v.mp4</BaseURL><SegmentList duration="5"><Initialization range="0-9"/><SegmentURL mediaRange="10-19"/><SegmentURL mediaRange="20-39"/></SegmentList>',
    ),
  );
  const file = "/t/v.mp4";
  assert.deepEqual(
    rendition?.segments.map(({ init, range }) => [init, range]),
    [
      [
        { file, range: { first: 0, length: 10 } },
        { first: 10, length: 10 },
      ],
      [
        { file, range: { first: 0, length: 10 } },
        { first: 20, length: 20 },
      ],
    ],
  );
});

const UNSUPPORTED = "MANIFEST_UNSUPPORTED";
const INVALID = "MANIFEST_INVALID";
const twice = (first: string, second: string) =>
  mpd(period(first, 'duration="PT4S"') + period(second, 'duration="PT4S"'));

const REFUSED: Readonly<Record<string, readonly [text: string, code: string, message: RegExp]>> = {
  $SubNumber$: [single(template('media="$Number$-$SubNumber$" duration="5"')), UNSUPPORTED, /\$SubNumber\$/],
  "$Time$ without a timeline": [single(template('media="$Time$" duration="5"')), UNSUPPORTED, /\$Time\$/],
  "$Number$ in an initialization": [
    single('<SegmentTemplate initialization="$Number$" media="$Number$" duration="5"/>'),
    UNSUPPORTED,
    /\$Number\$/,
  ],
  "sequences of segments": [timeline('<S d="4" k="2"/>'), UNSUPPORTED, /S@k/],
  "segments that overlap": [timeline('<S t="0" d="4"/><S t="1" d="4"/>'), INVALID, /overlap/],
  "gaps in a timeline": [timeline('<S t="0" d="4"/><S t="8" d="4"/>'), UNSUPPORTED, /gaps/],
  "repeats without an end": [timeline('<S t="0" d="4" r="-1"/><S d="4"/>'), INVALID, /wrong r: "-1"/],
  "a template of one name for all": [single(template('media="v" duration="2"')), INVALID, /one name for 5/],
  "a template without media": [single(template('duration="2"')), INVALID, /without media/],
  "a template without a period's duration": [
    single(template('media="$Number$" duration="2"'), ""),
    INVALID,
    /how long period 1 lasts/,
  ],
  "a template that ends before it begins": [
    single(template('media="$Number$" duration="2" endNumber="0"')),
    INVALID,
    /wrong endNumber: "0"/,
  ],
  "a duration that is text": [
    single(template('media="$Number$" duration="2s"')),
    INVALID,
    /wrong duration: "2s"/,
  ],
  "a duration of the title that is text": [
    single(NUMBERED, 'mediaPresentationDuration="10"'),
    INVALID,
    /wrong mediaPresentationDuration: "10"/,
  ],
  "two kinds of information": [
    single(`${NUMBERED}<SegmentBase/>`),
    INVALID,
    /SegmentTemplate and SegmentBase/,
  ],
  "a list and a timeline of other lengths": [
    single(
      '<SegmentList><SegmentTimeline><S d="5" r="1"/></SegmentTimeline><SegmentURL media="1"/></SegmentList>',
    ),
    INVALID,
    /1 segments in a SegmentList, and 2/,
  ],
  "a timeline without entries": [single(template('media="$Number$"', "<T/>")), INVALID, /without S/],
  "a list without segments": [single('<SegmentList duration="5"/>'), INVALID, /without SegmentURL/],
  "a single dollar": [
    single(template('media="$Number$$" duration="5"')),
    UNSUPPORTED,
    /odd number of dollars/,
  ],
  "an address that is none": [single("<BaseURL>http://[</BaseURL>"), UNSUPPORTED, /not below its own folder/],
  "a representation without a file": [single(""), INVALID, /names no file of the representation "v"/],
  "a file with the name of a folder": [single("<BaseURL>a/</BaseURL>"), INVALID, /names no file/],
  "a range that is text": [
    single('<SegmentList duration="10"><SegmentURL media="1" mediaRange="a-b"/></SegmentList>'),
    INVALID,
    /wrong mediaRange/,
  ],
  "other renditions in a later period": [
    twice(PLAIN, set(NUMBERED + representation("ad"))),
    UNSUPPORTED,
    /period 2/,
  ],
  "periods with one id for two representations": [
    twice(PLAIN, set(NUMBERED + representation("v") + representation("v"))),
    INVALID,
    /two representations with one id/,
  ],
  "periods of single files": [
    twice(
      set(representation("v", "<BaseURL>1.mp4</BaseURL><SegmentBase/>")),
      set(representation("v", "<BaseURL>2.mp4</BaseURL><SegmentBase/>")),
    ),
    UNSUPPORTED,
    /single files/,
  ],
  "periods that overlap": [
    mpd(period(PLAIN, 'start="PT0S" duration="PT8S"') + period(PLAIN, 'start="PT4S"')),
    INVALID,
    /until 8 s, but the next one from 4 s/,
  ],
  "a period without a start": [mpd(period(PLAIN).repeat(2)), INVALID, /when period 2 starts/],
  "a period in another file": [
    mpd('<Period xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="p.xml"/>'),
    UNSUPPORTED,
    /xlink:href/,
  ],
};

for (const [what, [text, code, message]] of Object.entries(REFUSED)) {
  test(`refuses ${what}`, () => assert.throws(() => read(text), { code, message }));
}
