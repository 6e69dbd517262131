/** svc compare with real encodes: here, and on a real `svc up`, with the same numbers. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { encode, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { until } from "../waiting.ts";

const SCENE = { width: 160, height: 90, frames: 12 };
const CRFS = [22, 28, 34, 40];
const NOWHERE = "00000000-0000-4000-8000-000000000000";

interface Cell {
  readonly number: number;
  readonly ladder: string;
  readonly clip: string;
  readonly distorted: string;
  readonly jobId: string;
  readonly state: string;
  readonly error?: { readonly code: string };
  readonly media?: { readonly codec: string; readonly videoBitRate: number; readonly encoder?: string };
  readonly pooled: Readonly<Record<string, { readonly mean: number }>>;
}

interface Comparison {
  readonly id: string;
  readonly anchor: string;
  readonly cells: readonly Cell[];
  readonly deltas: readonly {
    readonly ladder: string;
    readonly metric: string;
    readonly method: string;
    readonly scale: string;
    readonly bdRate?: number;
    readonly byClip: readonly {
      readonly clip: string;
      readonly bdRate?: number;
      readonly overlap?: number;
    }[];
  }[];
}

let directory: MediaDirectory;
let up: ControllerProcess;
let reference: string;
/** Ladders of two presets of x264, by rising CRF, and one encode with another codec. */
let fast: readonly string[];
let slow: readonly string[];
let hevc: string;
before(async () => {
  directory = await MediaDirectory.open();
  reference = await pristine(directory, "reference.y4m", SCENE);
  const ladder = (preset: string) =>
    Promise.all(
      CRFS.map((crf) =>
        encode(directory, `${preset}-${crf}.mp4`, SCENE, [
          ...["-c:v", "libx264", "-preset", preset, "-crf", String(crf), "-threads", "1"],
        ]),
      ),
    );
  fast = await ladder("ultrafast");
  slow = await ladder("medium");
  const x265 = ["-c:v", "libx265", "-crf", "30", "-x265-params", "log-level=none:pools=1"];
  hevc = await encode(directory, "other.mp4", SCENE, x265);
  up = await ControllerProcess.up({ dataDir: directory.file("data") });
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

async function svc(...args: readonly string[]): Promise<Ended> {
  await using running = start(SVC, args, { env: { SVC_SERVER: up.grpc } });
  running.child.stdin?.end();
  return await running.ended();
}

const ladders = () => [
  ...["--ladder", `fast=${directory.file("ultrafast-*.mp4")}`],
  ...["--ladder", `slow=${directory.file("medium-*.mp4")}`],
];

function pchip({ deltas }: Comparison) {
  const found = deltas.find(
    ({ metric, method, scale }) => metric === "vmaf" && method === "pchip" && scale === "linear",
  );
  return found ?? assert.fail("no BD-rate");
}

/** What of a comparison does not depend on where it was scored. */
const numbers = ({ cells, deltas, anchor }: Comparison) => ({
  cells: cells.map(({ number, ladder, clip, media, pooled, state }) => ({
    number,
    ladder,
    clip,
    media,
    pooled,
    state,
  })),
  deltas,
  anchor,
});

describe("svc compare", () => {
  let here: Comparison;

  test("scores every encode and compares the ladders", async () => {
    const { code, stdout, stderr } = await svc("compare", reference, ...ladders(), "--json");
    assert.equal(code, 0, stderr);
    here = JSON.parse(stdout) as Comparison;
    assert.deepEqual(
      here.cells.map(({ ladder, clip, media }) => [ladder, clip, media?.codec]),
      [
        ...CRFS.map(() => ["fast", "reference.y4m", "h264"]),
        ...CRFS.map(() => ["slow", "reference.y4m", "h264"]),
      ],
    );
    const { ladder, bdRate = 0, byClip } = pchip(here);
    assert.deepEqual([here.anchor, ladder, byClip[0]?.clip], ["fast", "slow", "reference.y4m"]);
    assert.ok(bdRate < -10, `the slower preset needs fewer bits: ${bdRate} %`);
    assert.ok((byClip[0]?.overlap ?? 0) > 0.5);
  });

  test("proposes a ladder from the scores, in steps up to a rate, as a table and as JSON", async () => {
    const most = Math.round((here.cells[0]?.media?.videoBitRate ?? 0) / 2);
    const list = directory.file("proposal.csv");
    const rows = here.cells.map(({ distorted, ladder }) => `${reference},${distorted},${ladder}\n`);
    await writeFile(list, `reference,distorted,ladder\n${rows.slice(0, CRFS.length).join("")}`);
    const asked = ["--from", list, "--propose", "6", "--max-rate", String(most)];
    const table = await svc("compare", ...asked);
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, /^fast, reference\.y4m: proposed ladder, in steps of 6 points of vmaf$/m);
    assert.match(
      table.stdout,
      /^ +[\d.]+ [kM]bit\/s +\d\d\.\d\d .*the highest score within the largest rate$/m,
    );
    const printed = JSON.parse((await svc("compare", ...asked, "--json")).stdout) as Comparison & {
      readonly proposals: readonly {
        readonly ladder: string;
        readonly metric: string;
        readonly rungs: readonly { readonly rate: number; readonly score: number; readonly reason: string }[];
      }[];
    };
    const [proposal] = printed.proposals;
    assert.deepEqual([proposal?.ladder, proposal?.metric], ["fast", "vmaf"]);
    const [top, next] = proposal?.rungs ?? [];
    assert.deepEqual([top?.rate, top?.reason, next?.reason], [most, "MAX_RATE", "STEP"]);
    assert.ok(Math.abs((top?.score ?? 0) - (next?.score ?? 0) - 6) < 1e-9);
    for (const [wrong, said] of [
      [["--csv"], /--csv does not print the ladder/],
      [["--submit", "--no-wait"], /--propose needs scores/],
    ] as const) {
      const refused = await svc("compare", ...asked, ...wrong);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr.replace(/\s+/g, " "), said);
    }
    const alone = await svc("comparisons", "show", NOWHERE, "--max-rate", "100");
    assert.equal(alone.code, 2);
    assert.match(alone.stderr, /--max-rate limits the ladder of --propose/);
  });

  test("gives the scores and rates of svc score, and the BD-rates of svc bd", async () => {
    const [first] = here.cells;
    const { stdout } = await svc("score", reference, first?.distorted ?? "", "--json");
    const result = JSON.parse(stdout) as { pooled: object; distorted: { videoBitRate: number } };
    assert.deepEqual((result.pooled as Cell["pooled"])["vmaf"], first?.pooled["vmaf"]);
    assert.equal(result.distorted.videoBitRate, first?.media?.videoBitRate);
    const csv = directory.file("points.csv");
    await writeFile(csv, (await svc("compare", reference, ...ladders(), "--csv")).stdout);
    const bd = JSON.parse((await svc("bd", csv, "--metric", "vmaf", "--json")).stdout) as {
      averages: { method: string; scale: string; bdRate: number }[];
    };
    const same = bd.averages.find(({ method, scale }) => method === "pchip" && scale === "linear");
    assert.equal(same?.bdRate, pchip(here).bdRate);
  });

  test("prints each table as CSV, and the faults of rungs also as JSON", async () => {
    const asked = ["compare", reference, ...ladders(), "--csv", "--table"];
    const lines = async (...args: string[]) => {
      const { code, stdout, stderr } = await svc(...asked, ...args);
      assert.equal(code, 0, stderr);
      return stdout.trimEnd().split("\n");
    };
    const rates = await lines("bd-rates");
    const values = here.deltas.flatMap(({ byClip }) => byClip.map(({ bdRate }) => String(bdRate ?? "")));
    assert.deepEqual(
      rates.slice(1).map((line) => line.split(",")[6]),
      values,
    );
    assert.equal((await lines("scores")).length - 1, CRFS.length * 2);
    const proposals = await lines("proposals", "--propose", "6");
    assert.equal(proposals[0], "ladder,clip,rate,vmaf,like,reason");
    assert.match(proposals[1] ?? "", /^fast,reference\.y4m,\d+,\d+\.\d\d,"ultrafast-22\.mp4 /);
    const { rungs } = here as Comparison & { readonly rungs: readonly { readonly text: string }[] };
    assert.ok(rungs.length > 0);
    assert.equal((await lines("rungs")).length - 1, rungs.length);
    for (const [wrong, said] of [
      [["--table", "rungs"], /Give --csv too/],
      [["--csv", "--table", "proposals"], /Give --propose too/],
      [["--csv", "--table", "frames"], /Allowed choices are encodes, scores, bd-rates/],
    ] as const) {
      const refused = await svc("compare", reference, ...slow, ...wrong);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr.replace(/\s+/g, " "), said);
    }
  });

  test("prints tables of encodes and BD-rates", async () => {
    const { code, stdout, stderr } = await svc("compare", reference, ...ladders(), "--anchor", "slow");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /LADDER +ENCODE +SIZE +RATE +vmaf mean +harmonic +p5 +min/);
    assert.match(stdout, /slow +medium-22\.mp4 +160×90 +[\d.]+ [kM]bit\/s +\d+\.\d{3}/);
    assert.match(stdout, /vmaf: BD-rate in % against slow/);
    assert.match(stdout, /^fast, reference\.y4m +\+\d/m);
  });

  test("groups encodes by codec, and keeps comparing if one cannot be scored", async () => {
    const broken = directory.file("broken.mp4");
    await writeFile(broken, "no video");
    const { code, stdout } = await svc("compare", reference, ...slow, hevc, broken, "--json");
    assert.equal(code, 2);
    const { cells, anchor } = JSON.parse(stdout) as Comparison;
    assert.equal(anchor, "h264");
    assert.deepEqual(
      cells.map(({ ladder, state }) => [ladder, state]),
      [...CRFS.map(() => ["h264", "SUCCEEDED"]), ["hevc", "SUCCEEDED"], ["", "FAILED"]],
    );
    assert.ok(cells.at(-1)?.error?.code.startsWith("MEDIA_"));
  });

  test("groups encodes by encoder and size if asked to, here and on a controller", async () => {
    const nameless = ["-c:v", "mpeg4", "-fflags", "+bitexact"];
    const plain = await encode(directory, "nameless.avi", SCENE, nameless);
    const args = ["compare", reference, slow[0] ?? "", hevc, plain];
    const named = ["--ladder", `named=${fast[0]}`, "--group-by", "encoder,size"];
    const own = await svc(...args, ...named, "--json");
    assert.equal(own.code, 0, own.stderr);
    const found = JSON.parse(own.stdout) as Comparison;
    const names = ["libx264 160×90", "libx265 160×90", "mpeg4 160×90", "named"];
    assert.deepEqual(
      found.cells.map(({ ladder }) => ladder),
      names,
    );
    assert.match(found.cells[0]?.media?.encoder ?? "", /^Lavc.* libx264$/);
    const there = await svc(...args, ...named, "--submit", "--json");
    assert.equal(there.code, 0, there.stderr);
    assert.deepEqual(numbers(JSON.parse(there.stdout) as Comparison), numbers(found));
    const id = (JSON.parse(there.stdout) as Comparison).id;
    const shown = await svc("comparisons", "show", id);
    assert.match(
      shown.stdout,
      /^1 encode names no encoder, so its codec stands for it\. Ladders: mpeg4 160×90\.$/m,
    );
    assert.match(shown.stdout, /^libx265 160×90 +other\.mp4 +160×90/m);
    const sizes = await svc(...args, "--group-by", "size");
    assert.match(sizes.stdout, /there is only one ladder\. Use --ladder NAME=FILES or --group-by/);
    const wrong = await svc(...args, "--group-by", "codec,bitrate");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /Use codec, encoder, size\./);
  });

  test("says which ladders there are if the anchor is none of their codecs", async () => {
    const { code, stdout } = await svc("compare", reference, slow[0] ?? "", hevc, "--anchor", "h265");
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^No BD-rates: no encode is of the anchor, "h265"\. The ladders: "h264", "hevc"\.$/m,
    );
  });

  test("takes the files of a folder, but not the reference", async () => {
    const folder = directory.file("encodes");
    await mkdir(join(folder, "logs"), { recursive: true });
    await copyFile(reference, join(folder, "reference.y4m"));
    for (const [name, file] of [
      ["rung-10.mp4", fast[0]],
      ["rung-9.mp4", fast[1]],
    ] as const)
      await copyFile(file ?? "", join(folder, name));
    await writeFile(join(folder, ".hidden"), "");
    const source = join(folder, "reference.y4m");
    for (const encodes of [[folder], ["--ladder", `x264=${folder}/`]]) {
      const { code, stdout, stderr } = await svc("compare", source, ...encodes, "--csv");
      assert.equal(code, 0, stderr);
      const names = [...stdout.matchAll(/\/(rung-\d+\.mp4|reference\.y4m),/g)].map(([, name]) => name);
      assert.deepEqual(names, ["rung-9.mp4", "rung-10.mp4"]);
    }
    await writeFile(join(folder, "master.m3u8"), "#EXTM3U\n");
    const title = await svc("compare", source, folder);
    assert.equal(title.code, 2);
    assert.match(title.stderr.replace(/\s+/g, " "), /is a title\. Give its manifest, such as .*master\.m3u8/);
    const empty = await svc("compare", source, join(folder, "logs"));
    assert.match(
      empty.stderr.replace(/\s+/g, " "),
      /The folder .*logs" has no encodes\. \[INVALID_REQUEST\]/,
    );
  });

  test("refuses a wrong command line", async () => {
    const wrong: [string[], RegExp][] = [
      [["compare"], /Give a reference and its encodes/],
      [["compare", reference], /Give a reference and its encodes/],
      [["compare", reference, slow[0] ?? "", slow[0] ?? ""], /given twice/],
      [["compare", reference, "--ladder", "x=none-*.mp4"], /no file matches/],
      [["compare", reference, "--ladder", "x264"], /NAME=FILES/],
      [["compare", reference, ...slow, "--json", "--csv"], /--json and --csv/],
      [["compare", reference, ...slow, "--name", "x"], /--name needs --submit/],
      [
        ["compare", reference, ...ladders(), "--anchor", "slw"],
        /no ladder is named "slw"\. .* "fast", "slow"/,
      ],
    ];
    for (const [args, message] of wrong) {
      const { code, stderr } = await svc(...args);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr.replace(/\s+/g, " "), message);
    }
  });

  test("says what a wrong list prevents", async () => {
    const list = directory.file("wrong.csv");
    for (const [text, fault] of [
      ["reference,distorted\n,a.mp4\n", "line 2: reference is missing"],
      ["reference,distorted\na,b,c\n", "line 2: it has 3 cells"],
      ["reference;distorted\n", "line 1: the header is separated by"],
      ["reference,distorted\n", "below it there are no encodes"],
    ] as const) {
      await writeFile(list, text);
      for (const [args, end] of [
        [[], "Nothing was compared. [INVALID_REQUEST]"],
        [["--submit"], "Nothing was submitted. [INVALID_REQUEST]"],
      ] as const) {
        const { code, stderr } = await svc("compare", "--from", list, ...args);
        assert.equal(code, 2);
        const said = stderr.replace(/\s+/g, " ").trim();
        assert.ok(said.includes(fault) && said.endsWith(end), said);
      }
    }
  });

  test("gives the same numbers on a controller, from a list", async () => {
    const list = directory.file("list.csv");
    const rows = [...fast.map((path) => ["fast", path]), ...slow.map((path) => ["slow", path])];
    const lines = rows.map(([ladder, path = ""]) => `reference.y4m,${path.split("/").at(-1)},${ladder}`);
    await writeFile(list, ["reference,distorted,ladder", ...lines].join("\n"));
    const { code, stdout, stderr } = await svc(
      "compare",
      "--from",
      list,
      "--submit",
      "--name",
      "presets",
      "--json",
    );
    assert.equal(code, 0, stderr);
    const there = JSON.parse(stdout) as Comparison;
    assert.match(stderr, new RegExp(`Comparison ${there.id}`));
    assert.deepEqual(numbers(there), numbers(here));
  });
});

describe("svc comparisons", () => {
  test("lists, shows, retries and cancels comparisons", async () => {
    const args = [
      "compare",
      reference,
      ...ladders(),
      directory.file("missing.mp4"),
      "--submit",
      "--remote-files",
    ];
    const submitted = await svc(...args, "--name", "with a fault", "--no-wait");
    assert.equal(submitted.code, 0, submitted.stderr);
    const id = submitted.stdout.trim();
    const shown = await svc("comparisons", "show", id, "--wait", "--json");
    assert.equal(shown.code, 2);
    const { cells } = JSON.parse(shown.stdout) as Comparison;
    assert.deepEqual([cells[0]?.state, cells[0]?.error?.code], ["FAILED", "MEDIA_NOT_FOUND"]);
    const listed = await svc("comparisons", "list");
    assert.match(listed.stdout, new RegExp(`${id} +\\d+s +8 +1 +9 +with a fault`));
    const sheet = (await svc("comparisons", "list", "--csv")).stdout;
    assert.match(sheet, /^id,name,cells,queued,running,succeeded,failed,cancelled,deleted,submitted,/);
    assert.match(sheet, new RegExp(`^${id},with a fault,9,0,0,8,1,0,0,\\d{4}-`, "m"));
    const retried = await svc("comparisons", "retry", id);
    assert.deepEqual([retried.code, retried.stdout], [0, "1 cell runs again.\n"]);
    const unknown = await svc("comparisons", "retry", id, "--cell", "10");
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /The comparison has no cell 10\. It has 9 cells\./);
    const again = JSON.parse((await svc("comparisons", "show", id, "--wait", "--json")).stdout) as Comparison;
    assert.notEqual(again.cells[0]?.jobId, cells[0]?.jobId);
    assert.equal((await svc("comparisons", "cancel", id)).stdout, "0 jobs cancelled.\n");
    const scores = await svc("comparisons", "show", id, "--csv", "--table", "scores");
    assert.match(scores.stdout, /^1,,[^\n]*missing\.mp4,[0-9a-f-]+,FAILED,MEDIA_NOT_FOUND,/m);
    const averages = await svc("comparisons", "show", id, "--csv", "--table", "averages");
    assert.match(averages.stdout, /^slow,fast,vmaf,pchip,linear,-\d/m);
    const text = await svc("comparisons", "show", id);
    assert.equal(text.code, 0);
    assert.match(text.stdout, /^- +missing\.mp4 .*MEDIA_NOT_FOUND/m);
    assert.match(text.stdout, /^! cell 1, missing\.mp4: .*MEDIA_NOT_FOUND/m);
    const deleted = await svc("comparisons", "delete", id);
    assert.deepEqual([deleted.code, deleted.stdout], [0, `Comparison ${id} with a fault deleted.\n`]);
    const gone = await svc("comparisons", "delete", id);
    assert.deepEqual([gone.code, gone.stdout], [2, ""]);
    assert.match(gone.stderr, /COMPARISON_NOT_FOUND/);
  });

  test("adds encodes, and leaves those that are there as they are", async () => {
    const [first = "", second = "", ...others] = slow;
    const id = (await svc("compare", reference, first, "--submit", "--no-wait")).stdout.trim();
    const added = await svc("comparisons", "add", id, reference, first, second, hevc, "--json");
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stderr, /^2 encodes added, 1 was there already\.$/m);
    const { cells } = JSON.parse(added.stdout) as Comparison;
    assert.deepEqual(
      cells.map(({ number, distorted, ladder, state }) => [number, distorted, ladder, state]),
      [
        [1, first, "h264", "SUCCEEDED"],
        [2, second, "h264", "SUCCEEDED"],
        [3, hevc, "hevc", "SUCCEEDED"],
      ],
    );
    const again = await svc("comparisons", "add", id, reference, first, hevc, "--no-wait");
    assert.deepEqual([again.code, again.stdout], [0, "0 encodes added, 2 were there already.\n"]);
    const list = directory.file("more.csv");
    await writeFile(list, `reference,distorted,ladder\n${reference},${others[0]},named\n`);
    const listed = await svc("comparisons", "add", id, "--from", list, "--no-wait");
    assert.deepEqual([listed.code, listed.stdout], [0, "1 encode added.\n"]);
    const ladder = ["--ladder", `fast=${directory.file("ultrafast-2*.mp4")}`, "--upload"];
    const table = await svc("comparisons", "add", id, reference, ...ladder);
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stderr, /^2 encodes added\.$/m);
    assert.match(table.stdout, /^named +medium-34\.mp4 +160×90/m);
    assert.match(table.stdout, /^fast +ultrafast-28\.mp4 +160×90/m);
  });

  test("refuses encodes to add that are none, and an unknown comparison", async () => {
    const list = directory.file("nothing.csv");
    await writeFile(list, "reference,distorted\n,a.mp4\n");
    const wrong: [string[], RegExp][] = [
      [[NOWHERE, reference, hevc], /COMPARISON_NOT_FOUND/],
      [[NOWHERE], /Give a reference and its encodes/],
      [[NOWHERE, reference, "--from", list], /Give encodes or --from FILE, not both/],
      [[NOWHERE, "--from", list], /reference is missing\. Nothing was added\./],
      [[NOWHERE, reference, hevc, "--json", "--csv"], /--json and --csv/],
      [[NOWHERE, reference, hevc, "--upload", "--remote-files"], /Give --upload or --remote-files/],
      [[NOWHERE, reference, directory.file("gone.mp4")], /gone\.mp4/],
    ];
    for (const [args, message] of wrong) {
      const { code, stdout, stderr } = await svc("comparisons", "add", ...args);
      assert.equal(code, 2, args.join(" "));
      assert.equal(args.includes("--json") || stdout === "", true);
      assert.match(stderr.replace(/\s+/g, " "), message);
    }
  });

  test("writes a comparison as a page of its own", async () => {
    const name = `<script>alert("presets")</script>`;
    const args = [
      "compare",
      reference,
      ...ladders(),
      "--metric",
      "psnr",
      "--submit",
      "--no-wait",
      "--name",
      name,
    ];
    const id = (await svc(...args)).stdout.trim();
    assert.equal((await svc("comparisons", "show", id, "--wait", "--csv")).code, 0);
    const file = directory.file("report.html");
    let page = "";
    // Stills are made when nothing is left to score.
    await until(
      async () => {
        const { code, stderr } = await svc("report", id, "--html", file);
        assert.equal(code, 0, stderr);
        page = await readFile(file, "utf8");
        return page.split("<img ").length === 5;
      },
      () => `pictures of both ladders: ${page.split("<img ").length - 1}`,
    );
    assert.ok(page.length < 400_000, `${page.length} characters`);
    for (const [, image = ""] of page.matchAll(/<img src="data:image\/webp;base64,([^"]*)" alt="">/g))
      assert.match(Buffer.from(image, "base64").toString("latin1"), /^RIFF.{4}WEBP/s);
    assert.match(page, /<h1>&lt;script&gt;alert\(&quot;presets&quot;\)&lt;\/script&gt;<\/h1>/);
    // Nothing that a browser would run or fetch.
    assert.doesNotMatch(page, /<script|<link|<iframe|src="(?!data:)|href=|url\(|@import/);
    assert.match(page, /default-src 'none'; img-src data:/);
    // A chart of each metric, vmaf and three of psnr, and one of the difference by vmaf.
    assert.equal(page.match(/<svg viewBox=/g)?.length, 5);
    assert.equal(page.match(/<svg class="swatch"/g)?.length, 2);
    assert.match(page, /<figcaption>Bits against fast, over vmaf<\/figcaption>/);
    assert.match(page, /<td>vmaf<\/td><td class="number">−\d+\.\d\d %<\/td>/);
    for (const text of [
      "medium-22.mp4",
      "reference,distorted,ladder,clip",
      id,
      "&quot;psnr&quot;",
      "<h3>vmaf in dB</h3>",
      "<code>svc compare --from encodes.csv --model vmaf_v0.6.1 --metric psnr --anchor &quot;fast&quot;</code>",
      "libvmaf",
    ])
      assert.ok(page.includes(text), text);
    assert.equal((await svc("report", id, "--html", "-")).stdout, page);
    const lost = await svc("report", id, "--html", directory.file("none/report.html"));
    assert.equal(lost.code, 3);
    assert.match(lost.stderr, /could not be written/);
    assert.equal((await svc("report", id)).stdout, page);
  });

  test("says that a comparison does not exist", async () => {
    const { code, stderr } = await svc("comparisons", "show", NOWHERE);
    assert.equal(code, 2);
    assert.match(stderr, /COMPARISON_NOT_FOUND/);
    assert.match(stderr.replace(/\s+/g, " "), /svc comparisons list/);
  });
});
