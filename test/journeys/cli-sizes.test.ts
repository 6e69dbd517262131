/** Ladders with encodes of several picture sizes: svc bd and svc compare take the convex hull, with the same numbers. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { encode, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";

/** The hull of each ladder: 500, 1000, 2000, 4000 and 8000; those of b have a fifth fewer bits. */
const GRID = [
  ["960x540", 500, 50],
  ["960x540", 1000, 64],
  ["960x540", 2000.5, 72],
  ["960x540", 4000.5, 75],
  ["1920x1080", 1000.5, 52],
  ["1920x1080", 2000, 73],
  ["1920x1080", 4000, 86],
  ["1920x1080", 8000, 93],
] as const;
const POINTS = [1, 0.8].flatMap((cost, at) =>
  GRID.map(([size, rate, score]) => ["ab"[at], "film", rate * cost, score, size] as const),
);
const TABLE = `ladder,clip,rate,vmaf,Size\n${POINTS.map((row) => `${row.join(",")}\n`).join("")}`;

interface Delta {
  readonly ladder: string;
  readonly metric: string;
  readonly method: string;
  readonly scale: string;
  readonly bdRate: number | null;
  readonly offHull?: number;
  readonly crossings?: readonly { readonly score: number; readonly rate: number }[];
  readonly error?: string;
}

interface Point {
  readonly rate: number;
  readonly size: string;
}

interface Printed {
  readonly metrics: readonly { readonly name: string }[];
  readonly results: readonly Delta[];
  readonly rungs: readonly { readonly fault: string; readonly rate: number }[];
  readonly hulls: readonly {
    readonly ladder: string;
    readonly clip: string | null;
    readonly metric: string;
    readonly on: readonly Point[];
    readonly off: readonly Point[];
  }[];
}

let directory: MediaDirectory;
before(async () => {
  directory = await MediaDirectory.open();
});
after(() => directory.remove());

async function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  await using running = start(SVC, args, { env });
  running.child.stdin?.end();
  return await running.ended();
}

async function bd(text: string, ...options: string[]): Promise<Ended> {
  const path = directory.file("points.csv");
  await writeFile(path, text);
  return svc(["bd", path, ...options]);
}

async function json(text: string): Promise<Printed> {
  return JSON.parse((await bd(text, "--json")).stdout) as Printed;
}

const numbers = ({ results }: Printed) => results.map(({ method, scale, bdRate }) => [method, scale, bdRate]);

describe("svc bd with a column of sizes", () => {
  test("compares the encodes on the hulls, and lists the others", async () => {
    const printed = await json(TABLE);
    assert.deepEqual(
      printed.metrics.map(({ name }) => name),
      ["vmaf"],
    );
    const [hull] = printed.hulls;
    assert.deepEqual([hull?.ladder, hull?.clip, hull?.metric], ["a", "film", "vmaf"]);
    assert.deepEqual(
      hull?.on.map(({ rate }) => rate),
      [500, 1000, 2000, 4000, 8000],
    );
    assert.deepEqual(hull?.off, [
      { rate: 2000.5, score: 72, size: "960x540" },
      { rate: 4000.5, score: 75, size: "960x540" },
      { rate: 1000.5, score: 52, size: "1920x1080" },
    ]);
    assert.deepEqual(
      printed.results.map(({ offHull }) => offHull),
      printed.results.map(() => 6),
    );
    for (const { bdRate } of printed.results) assert.ok(Math.abs((bdRate ?? 0) + 20) < 1e-6, `${bdRate}`);
    // Only the encodes on a hull are rungs.
    assert.deepEqual(
      printed.rungs.filter(({ fault }) => fault !== "GAP"),
      [],
    );
    const { code, stdout } = await bd(TABLE);
    assert.equal(code, 0);
    const text = stdout.replaceAll(/\n {2}/g, " ");
    assert.match(
      text,
      /^! film: the curve of a is the convex hull of 2 picture sizes; 5 of 8 encodes are on it by vmaf$/m,
    );
    assert.doesNotMatch(stdout, /Not compared/);
  });

  test("has the numbers of the encodes on the hulls alone, except by aom-ctc", async () => {
    const on = POINTS.filter(([, , , score]) => ![72, 75, 52].includes(score));
    const alone = await json(
      `ladder,clip,rate,vmaf\n${on.map((row) => `${row.slice(0, 4).join(",")}\n`).join("")}`,
    );
    const isOther = ([method]: readonly unknown[]) => method !== "aom-ctc";
    assert.deepEqual(numbers(await json(TABLE)).filter(isOther), numbers(alone).filter(isOther));
    assert.deepEqual(alone.hulls, []);
  });

  test("keeps the numbers of ladders of one size, and of rungs whose size grows with the rate", async () => {
    const rungs = GRID.filter(([size, rate]) => (size === "960x540") === rate < 1500 && rate !== 1000.5);
    const rows = (withSize: boolean) =>
      [1, 0.9].flatMap((cost, at) =>
        rungs.map(([size, rate, score]) =>
          ["ab"[at], rate * cost, score, ...(withSize ? [size] : [])].join(","),
        ),
      );
    const sized = await json(`ladder,rate,vmaf,size\n${rows(true).join("\n")}\n`);
    assert.deepEqual(sized, await json(`ladder,rate,vmaf\n${rows(false).join("\n")}\n`));
    const one = TABLE.replaceAll(/\d+x\d+$/gm, "1920x1080");
    assert.deepEqual(await json(one), await json(one.replaceAll(/,(Size|\d+x\d+)$/gm, "")));
  });

  test("says if too few encodes are on a hull", async () => {
    const few = TABLE.replaceAll(/^b,film,(1600|400|6400),.*\n/gm, "");
    const { code, stdout } = await bd(few);
    assert.equal(code, 0);
    assert.match(
      stdout.replaceAll(/\n {2}/g, " "),
      /^! film: b has 3 points on the convex hull of its 5 encodes of several sizes, but at least 4 are needed \(pchip, cubic, dB\)$/m,
    );
    const codes = (await json(few)).results.map(({ method, error }) => [method, error]);
    assert.deepEqual(codes[0], ["pchip", "TOO_FEW_POINTS"]);
  });

  test("refuses a size that is none, but takes a column of other numbers for a metric", async () => {
    for (const [wrong, said] of [
      ["1080p", /line 9: the size "1080p" is not WIDTHxHEIGHT/],
      ["", /line 9: the size "" is not WIDTHxHEIGHT/],
      ["0x0", /line 9: the size "0x0" is not WIDTHxHEIGHT/],
    ] as const) {
      const { code, stdout, stderr } = await bd(TABLE.replace(/^(a,film,8000,93),.*$/m, `$1,${wrong}`));
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr.replaceAll(/\s+/g, " "), said);
      assert.match(stderr, /\[INVALID_REQUEST\]/);
    }
    const bytes = TABLE.replaceAll(/,\d+x(\d+)$/gm, ",$1");
    assert.deepEqual(
      (await json(bytes)).metrics.map(({ name }) => name),
      ["vmaf", "Size"],
    );
  });

  test("--json has the points at which curves cross", async () => {
    const crossing = [100, 200, 400, 800].flatMap((rate, index) => [
      `a,${rate},${50 + 10 * index}`,
      `b,${[60, 150, 450, 1300][index]},${50 + 10 * index}`,
    ]);
    const { results } = await json(`ladder,rate,vmaf\n${crossing.join("\n")}\n`);
    const [crossed, ...others] = results[0]?.crossings ?? [];
    const { score, rate } = crossed ?? assert.fail("no crossing");
    assert.deepEqual([results[0]?.method, others], ["pchip", []]);
    assert.ok(score > 60 && score < 70 && rate > 200 && rate < 400, `${score} at ${rate}`);
    assert.ok(results.slice(1).every(({ crossings }) => crossings === undefined));
  });

  test("groups the notes on rungs of many clips, and --json has all of them", async () => {
    const clips = ["one", "two", "three", "four"];
    const rows = clips.flatMap((clip, at) =>
      ["a", "b"].flatMap((ladder) =>
        [20, 40 + at, 60, 80].map((score, step) => `${ladder},${clip},${1000 * 2 ** step},${score}`),
      ),
    );
    const table = `ladder,clip,rate,vmaf\n${rows.join("\n")}\n`;
    const text = (await bd(table)).stdout.replaceAll(/\n {2}/g, " ");
    const [, rungs = ""] = text.split("Rungs, by vmaf\n");
    const worst =
      "four: 2000 \\(43\\.0\\) is 23\\.0 points above 1000 \\(20\\.0\\): a rung near \\d+ would halve the step";
    assert.match(
      rungs,
      new RegExp(
        `^a, ${worst}; 11 more gaps in 4 clips\nb, ${worst}; 11 more gaps in 4 clips\n--json lists all 24\n`,
      ),
    );
    assert.equal((await json(table)).rungs.length, 24);
  });
});

interface Comparison {
  readonly cells: readonly { readonly ladder: string; readonly offHull: readonly string[] }[];
  readonly deltas: readonly (Delta & {
    readonly byClip: readonly { readonly offHull: number; readonly crossings: readonly object[] }[];
  })[];
}

test("svc compare marks the encodes that are not on the hull, here and on a controller, as svc bd", async () => {
  const scene = { width: 192, height: 108, frames: 12 };
  const reference = await pristine(directory, "reference.y4m", scene);
  for (const preset of ["ultrafast", "medium"])
    for (const size of ["96:54", "192:108"])
      for (const crf of [20, 26, 32, 38, 44])
        await encode(directory, `${preset}-${size.split(":")[1]}-${crf}.mp4`, scene, [
          ...[
            "-vf",
            `scale=${size}`,
            "-c:v",
            "libx264",
            "-preset",
            preset,
            "-crf",
            String(crf),
            "-threads",
            "1",
          ],
        ]);
  const args = [
    ...["compare", reference, "--ladder", `fast=${directory.file("ultrafast-*.mp4")}`],
    ...["--ladder", `slow=${directory.file("medium-*.mp4")}`, "--metric", "psnr"],
  ];
  const here = JSON.parse((await svc([...args, "--json"])).stdout) as Comparison;
  const marked = here.cells.filter(({ offHull }) => offHull.includes("vmaf"));
  assert.ok(marked.length > 2 && marked.length < 14, `${marked.length} of 20 are not on the hulls`);
  const ofVmaf = here.deltas.filter(({ metric }) => metric === "vmaf");
  for (const { byClip } of ofVmaf) assert.equal(byClip[0]?.offHull, marked.length);
  assert.ok(
    ofVmaf.every(({ bdRate }) => typeof bdRate === "number"),
    "both hulls have enough points",
  );

  const points = await json((await svc([...args, "--csv"])).stdout);
  const rateOf = ({ method, scale, metric, bdRate }: Delta) => [metric, method, scale, bdRate ?? null];
  assert.deepEqual(points.results.map(rateOf), here.deltas.map(rateOf));

  const { stdout } = await svc(args);
  assert.match(stdout, /^fast +ultrafast-\d+-\d+\.mp4 .*not on the hull( by [\w, ]+)?$/m);
  assert.match(stdout, /the curve of slow is the convex hull of 2/);

  await using up = await ControllerProcess.up({ dataDir: directory.file("data") });
  const env = { SVC_SERVER: up.grpc };
  const there = JSON.parse((await svc([...args, "--submit", "--json"], env)).stdout) as Comparison & {
    readonly id: string;
  };
  assert.deepEqual(there.deltas, here.deltas);
  assert.deepEqual(
    there.cells.map(({ offHull }) => offHull),
    here.cells.map(({ offHull }) => offHull),
  );
  const page = (await svc(["report", there.id, "--html", "-"], env)).stdout;
  assert.match(page, /<td>not on the hull( by [\w, ]+)?<\/td>/);
  assert.match(page, /<path class="marks faint"/);
  assert.match(page, /\d+ encodes are not on the hulls\./);
});
