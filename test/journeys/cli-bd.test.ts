/** svc bd: ladders of encodes compared from a table, and tables that cannot be compared. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type Ended, SVC, start, startOnTerminal } from "../cli/program.ts";
import { MediaDirectory } from "../media/directory.ts";

/** The sample that comes with most implementations of the metric. */
const SAMPLE = `ladder,rate,psnr
a,686.76,40.28
a,309.58,37.18
a,157.11,34.24
a,85.95,31.42
b,893.34,40.39
b,407.8,37.21
b,204.93,34.17
b,112.75,31.24
`;

const FILM = `ladder,clip,rate,vmaf,preset
old,film,2000,41.2,medium
old,film,4000,63.5,medium
old,film,8000,81.9,medium
old,film,16000,93.4,medium
old,sport,2000,38,medium
old,sport,4000,55,medium
old,sport,8000,74,medium
old,sport,16000,90,medium
new,film,1000,41.2,slow
new,film,2000,63.5,slow
new,film,4000,81.9,slow
new,film,8000,93.4,slow
new,sport,2000,45,slow
new,sport,4000,99.6,slow
new,sport,8000,99.5,slow
new,sport,16000,99.7,slow
`;

interface Printed {
  readonly anchor: string;
  readonly metrics: readonly {
    readonly name: string;
    readonly better: string;
    readonly max: number | null;
  }[];
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly averages: readonly Readonly<Record<string, unknown>>[];
  readonly rungs: readonly Readonly<Record<string, unknown>>[];
  readonly proposals?: readonly { readonly rungs: readonly object[] }[];
}

describe("svc bd", () => {
  let media: MediaDirectory;
  let sequence = 0;
  before(async () => {
    media = await MediaDirectory.open();
  });
  after(() => media.remove());

  const table = async (text: string | Uint8Array) => {
    const path = media.file(`points-${sequence++}.csv`);
    await writeFile(path, text);
    return path;
  };
  const bd = async (text: string | Uint8Array, ...options: string[]): Promise<Ended> => {
    const path = await table(text);
    return start(SVC, ["bd", path, ...options]).ended();
  };
  const json = async (text: string, ...options: string[]): Promise<Printed> => {
    const { code, stdout, stderr } = await bd(text, ...options, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Printed;
  };

  test("--json has every method, with the numbers of published implementations", async () => {
    const { anchor, metrics, results, averages } = await json(SAMPLE);
    assert.equal(anchor, "a");
    assert.deepEqual(metrics, [{ name: "psnr", better: "higher", max: null }]);
    const rounded = results.map(({ ladder, clip, metric, method, scale, bdRate, bdQuality }) => [
      ...[ladder, clip, metric, method, scale, Number(bdRate).toFixed(4)],
      bdQuality === null ? null : Number(bdQuality).toFixed(4),
    ]);
    assert.deepEqual(rounded, [
      ["b", null, "psnr", "pchip", "linear", "31.3799", "-1.1835"],
      ["b", null, "psnr", "akima", "linear", "31.3840", "-1.1837"],
      ["b", null, "psnr", "cubic", "linear", "31.3974", "-1.1849"],
      ["b", null, "psnr", "aom-ctc", "linear", "31.3798", null],
    ]);
    assert.ok(results.every(({ overlap, error }) => Number(overlap) > 0.96 && error === undefined));
    assert.deepEqual(
      averages.map(({ method, bdRate, clips, refused }) => [method, bdRate, clips, refused]),
      results.map(({ method, bdRate }) => [method, bdRate, 1, 0]),
    );
  });

  test("names wasted and missing rungs, and proposes a ladder in steps up to a rate", async () => {
    const { code, stdout } = await bd(FILM, "--propose", "6", "--max-rate", "12000");
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^new, sport: 8000 \(99\.5\) is wasted: 4000 \(99\.6\) needs no more bits and scores 0\.1$/m,
    );
    assert.match(stdout, /^old, film: 4000 \(63\.5\) is 22\.3 points above 2000 \(41\.2\): a rung near \d+/m);
    assert.match(stdout, /^old, film: proposed ladder, in steps of 6 points of vmaf$/m);
    assert.match(stdout, /^ +12000 +\d\d\.\d\d .*the highest score within the largest rate$/m);
    const printed = await json(FILM, "--propose", "6");
    const wasted = printed.rungs.find(({ fault }) => fault === "DOMINATED");
    assert.deepEqual(
      [wasted?.["clip"], wasted?.["rate"], wasted?.["otherRate"], wasted?.["metric"]],
      ["sport", 8000, 4000, "vmaf"],
    );
    const first = printed.proposals?.[0]?.rungs[0];
    assert.deepEqual(first, { rate: 16000, score: 93.4, reason: "BEST", likeRate: 16000 });
    assert.equal((await json(FILM)).proposals, undefined);
  });

  test("proposes ladders of one encoder alone, but only by VMAF", async () => {
    const one = FILM.split("\n").filter((line) => !line.startsWith("new"));
    assert.equal((await bd(one.join("\n"), "--propose", "5")).code, 0);
    const other = await bd(SAMPLE, "--propose", "5");
    assert.equal(other.code, 2);
    assert.match(other.stderr, /--propose needs a column of VMAF scores/);
    for (const [option, value] of [
      ["--propose", "0"],
      ["--propose", "x"],
      ["--propose", "1e-300"],
      ["--max-rate", "100"],
    ] as const)
      assert.equal((await bd(FILM, option, value)).code, 2, `${option} ${value}`);
  });

  test("--csv prints the tables of --json", async () => {
    const asked = ["--propose", "6", "--max-rate", "12000"];
    const { results, averages, rungs, proposals = [] } = await json(FILM, ...asked);
    const linesOf = async (...options: string[]) => {
      const { code, stdout, stderr } = await bd(FILM, "--csv", ...options);
      assert.equal(code, 0, stderr);
      const [heading = "", ...lines] = stdout.trimEnd().split("\n");
      const names = heading.split(",");
      return lines.map((line) => {
        const cells = line.split(",");
        return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
      });
    };
    const texts = (values: readonly unknown[]) =>
      values.map((value) => String((value ?? "") as string | number));
    const rates = await linesOf();
    assert.ok(results.some(({ dropped }) => dropped !== undefined) && results.some(({ error }) => error));
    assert.deepEqual(
      rates.map((row) => [row["ladder"], row["clip"], row["anchor"], row["method"], row["scale"]]),
      results.map(({ ladder, clip, method, scale }) => [ladder, clip, "old", method, scale]),
    );
    assert.deepEqual(
      rates.map((row) => [row["bd_rate"], row["bd_quality"], row["overlap"], row["rate_overlap"]]),
      results.map(({ bdRate, bdQuality, overlap, rateOverlap }) =>
        texts([bdRate, bdQuality, overlap, rateOverlap]),
      ),
    );
    assert.deepEqual(
      rates.map((row) => [row["dropped"], row["refusal"]]),
      results.map(({ dropped = 0, error }) => texts([dropped, error])),
    );
    assert.deepEqual(
      (await linesOf("--table", "averages")).map((row) => [row["method"], row["bd_rate"], row["refused"]]),
      averages.map(({ method, bdRate, refused }) => texts([method, bdRate, refused])),
    );
    assert.deepEqual(
      (await linesOf("--table", "rungs")).map((row) => [row["fault"], row["rate"], row["missing_rate"]]),
      rungs.map(({ fault, rate, missingRate }) => texts([fault, rate, missingRate])),
    );
    assert.equal(
      (await linesOf("--table", "proposals", ...asked)).length,
      proposals.reduce((sum, { rungs: proposed }) => sum + proposed.length, 0),
    );
    const best = await linesOf("--table", "proposals", "--propose", "6");
    assert.deepEqual([best[0]?.["ladder"], best[0]?.["rate"], best[0]?.["vmaf"]], ["old", "16000", "93.40"]);
  });

  test("refuses a table that it has not, or that would not be printed", async () => {
    for (const [options, said] of [
      [["--csv", "--table", "encodes"], /Allowed choices are bd-rates, averages, rungs, proposals/],
      [
        ["--table", "rungs"],
        /--table rungs chooses the table of --csv\. Give --csv too\. \[INVALID_REQUEST\]/,
      ],
      [["--csv", "--json"], /cannot be used with/],
      [["--csv", "--table", "proposals"], /Give --propose too\. \[INVALID_REQUEST\]/],
      [["--csv", "--propose", "6"], /Add --table proposals.*\[INVALID_REQUEST\]/],
    ] as const) {
      const { code, stdout, stderr } = await bd(FILM, ...options);
      assert.equal(code, 2, options.join(" "));
      assert.match(`${stderr}${stdout}`.replace(/\s+/g, " "), said);
    }
  });

  test("reads names that would be formulas in a spreadsheet as --csv prints them", async () => {
    const formulas = FILM.replaceAll(/^old/gm, "'=1+1").replaceAll(/^new/gm, "@new");
    const { anchor, results } = await json(formulas);
    assert.deepEqual([anchor, results[0]?.["ladder"]], ["=1+1", "@new"]);
    assert.match((await bd(formulas, "--csv")).stdout, /\n'@new,film,'=1\+1,vmaf,/);
  });

  test("--anchor swaps the ladders", async () => {
    const { anchor, results } = await json(SAMPLE, "--anchor", "b");
    assert.deepEqual([anchor, results[0]?.["ladder"]], ["b", "a"]);
    assert.equal(Number(results[0]?.["bdRate"]).toFixed(4), (100 * (1 / 1.313798782 - 1)).toFixed(4));
  });

  test("reads tables from spreadsheets: a byte order mark, CRLF, quotes, and columns in any order", async () => {
    const rows = SAMPLE.trim().split("\n").slice(1);
    const quoted = rows
      .map((row) => row.split(","))
      .map(([ladder, rate, psnr]) => ` ${psnr},"${ladder}",${rate}`);
    const plain = await json(SAMPLE);
    assert.deepEqual(
      await json(`\ufeffpsnr,"Ladder",RATE\r\n${quoted.toReversed().join("\r\n")}\r\n\r\n`, "--anchor", "a"),
      plain,
    );
  });

  test("- reads standard input", async () => {
    const reading = start("/bin/sh", ["-c", `"$0" bd - --json < "$1"`, SVC, await table(SAMPLE)]);
    assert.deepEqual(JSON.parse((await reading.ended()).stdout), await json(SAMPLE));
  });

  test("refuses single comparisons with the reason, and averages the others", async () => {
    const { results, averages } = await json(FILM);
    const film = results.find(({ clip, method }) => clip === "film" && method === "pchip");
    assert.equal(Number(film?.["bdRate"]).toFixed(6), "-50.000000");
    const sport = results.filter(({ clip, scale }) => clip === "sport" && scale === "linear");
    assert.deepEqual(
      sport.map(({ method, bdRate, error, dropped }) => [method, bdRate === null, error, dropped]),
      [
        ["pchip", true, "NOT_MONOTONE", undefined],
        ["akima", true, "NOT_MONOTONE", undefined],
        ["cubic", true, "NOT_MONOTONE", undefined],
        ["aom-ctc", false, undefined, 2],
      ],
    );
    assert.equal(
      sport[0]?.["reason"],
      "vmaf of new does not rise with the rate: 99.6 at 4000, but 99.5 at 8000",
    );
    const average = averages.find(({ method, scale }) => method === "pchip" && scale === "linear");
    assert.deepEqual([average?.["clips"], average?.["refused"]], [1, 1]);
  });

  test("prints tables of at most 80 columns, with what to know about their numbers", async () => {
    const { code, stdout } = await bd(FILM);
    assert.equal(code, 0);
    const lines = stdout.split("\n");
    assert.deepEqual(
      lines.filter((line) => line.length > 80),
      [],
    );
    assert.equal(lines[0], "vmaf: BD-rate in % against old");
    assert.match(stdout, /^ +pchip +akima +cubic +aom-ctc +BD-quality +overlap$/m);
    assert.match(stdout, /^ {2}film( +[-−]50\.00){4} +\+\d\d\.\d\d +100 %$/m);
    assert.match(stdout, /^ {2}mean of 1-2\/2 /m);
    assert.match(stdout, /^vmaf as .*log10\(1 [-−] vmaf\/100\), in dB: BD-rate in % against old$/m);
    assert.match(
      stdout,
      /^! sport: vmaf of new does not rise with the rate: 99\.6 at 4000, but 99\.5 at 8000$/m,
    );
    assert.match(stdout, /^Not compared, because they hold no numbers: preset$/m);
  });

  test("warns if the ladders share less than 75 % of the range, in colour on a terminal", async () => {
    const higher = SAMPLE.replaceAll(
      /^b,([\d.]+),(\d+)/gm,
      (_, rate: string, score: string) => `b,${rate},${Number(score) + 5}`,
    );
    const { stdout } = await bd(higher);
    assert.match(
      stdout,
      /^! b shares only \d\d % of the range of psnr; the numbers do not describe the rest$/m,
    );
    const saturated = [90, 92, 94, 99.9].map((score, index) => `a,${2 ** index},${score}`);
    const others = [90, 92, 94, 97].map((score, index) => `b,${2 ** index},${score}`);
    const inDecibels = (await bd(`ladder,rate,vmaf\n${[...saturated, ...others].join("\n")}\n`)).stdout;
    assert.match(inDecibels, /^! b shares only 70 % of the range of vmaf;/m);
    assert.match(inDecibels, /^! b shares only 26 % of the range of vmaf in dB;/m);
    const terminal = startOnTerminal([SVC, "bd", await table(higher)], 80);
    const shown = await terminal.ended();
    assert.match(shown.stdout.replaceAll("\u001b", "ESC"), /^ESC\[33mb .* %ESC\[0m/m);
  });

  test("says where curves cross, or in how many clips", async () => {
    const points = (clip: string) =>
      [100, 200, 400, 800].flatMap((rate, index) => [
        `a,${clip},${rate},${50 + 10 * index}`,
        `b,${clip},${[60, 150, 450, 1300][index]},${50 + 10 * index}`,
      ]);
    const table = (clips: readonly string[]) =>
      ["ladder,clip,rate,psnr", ...clips.flatMap(points), ""].join("\n");
    const { stdout } = await bd(table(["film"]));
    assert.match(
      stdout,
      /^! film: the curves of b and a cross at 67(\.\d)? of psnr; which needs fewer bits/m,
    );
    const many = (await bd(table(["1", "2", "3", "4"]))).stdout;
    assert.match(many, /^! the curves of b and a cross by psnr in 4 clips; which needs fewer bits/m);
  });

  test("if every comparison is refused, the reasons are printed and the command fails", async () => {
    const { code, stdout } = await bd("ladder,rate,psnr\na,1,30\na,2,31\nb,1,30\nb,2,31\n");
    assert.equal(code, 2);
    assert.match(stdout, /^! a has 2 points, but at least 4 are needed \(pchip, cubic, aom-ctc\)$/m);
    assert.match(stdout, /^! a has 2 points, but at least 3 are needed \(akima\)$/m);
  });

  const header = "ladder,rate,psnr\n";
  for (const [what, text, message] of [
    ["an empty file", "", /it is empty/],
    ["a header alone", header, /it has a header, but no rows/],
    ["a table without rates", "ladder,psnr\na,30\n", /line 1: the header has no column "rate"/],
    ["a table without scores", "ladder,rate\na,30\nb,30\n", /it has no column of scores/],
    ["semicolons", SAMPLE.replaceAll(",", ";"), /separated by ";": separate the columns with commas/],
    ["a column given twice", "ladder,rate,psnr,psnr\na,1,2,3\n", /the column "psnr" is given twice/],
    ["a short row", `${SAMPLE}b,5\n`, /line 10: it has 2 cells, but the header has 3/],
    ["a quote that is not closed", `${SAMPLE}"b,5,6\n`, /line 10: a quote is not closed/],
    ["a rate of 0", `${SAMPLE}b,0,6\n`, /line 10: the rate 0 is not above 0/],
    ["a negative rate", `${SAMPLE}b,-3,6\n`, /line 10: the rate -3 is not above 0/],
    ["a rate that is not a number", `${SAMPLE}b,NaN,6\n`, /line 10: the rate "NaN" is not a number/],
    ["an unnamed ladder", `${SAMPLE},3,6\n`, /line 10: ladder is empty/],
    ["a score that is a word", `${SAMPLE}b,3,high\n`, /line 10: psnr "high" is not a number/],
    ["one ladder", `${header}a,1,2\n`, /it has one ladder, "a", and nothing to compare/],
    ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe, 0x00]), /it is not text in UTF-8/],
    ["too many rows", `${header}${"a,1,2\n".repeat(100_001)}`, /it has more than 100000 rows/],
  ] as const)
    test(`refuses ${what} with exit code 2`, async () => {
      const { code, stdout, stderr } = await bd(text);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(stderr.replaceAll(/\s+/g, " "), message);
      assert.match(stderr, /\[INVALID_REQUEST\]/);
    });

  test("refuses an unknown anchor and an unknown metric by name, as JSON with --json", async () => {
    const anchor = await bd(SAMPLE, "--anchor", "c", "--json");
    assert.equal(anchor.code, 2);
    assert.match(
      (JSON.parse(anchor.stdout) as { detail: string }).detail,
      /no ladder is named "c"\. Its ladders: "a", "b"/,
    );
    const metric = await bd(SAMPLE, "--metric", "vmaf");
    assert.equal(metric.code, 2);
    assert.match(
      metric.stderr.replaceAll(/\s+/g, " "),
      /it has no column "vmaf"\. Its columns of scores: "psnr"/,
    );
  });

  test("a score that is not finite refuses its ladder only", async () => {
    const { results } = await json(`${SAMPLE}c,1,30\nc,2,nan\nc,3,31\nc,4,32\n`);
    assert.deepEqual(
      results.filter(({ method }) => method === "pchip").map(({ ladder, error }) => [ladder, error]),
      [
        ["b", undefined],
        ["c", "NO_SCORE"],
      ],
    );
  });
});
