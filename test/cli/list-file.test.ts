import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { csvRows } from "../../src/cli/input/csv-rows.ts";
import { jobsOfList, readList } from "../../src/cli/submit/list-file.ts";
import { JobSpecSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { messageOf } from "../../src/platform/errors.ts";

const SETTINGS = create(JobSpecSchema, {
  models: ["vmaf_v0.6.1", "vmaf_v0.6.1neg"],
  features: ["psnr"],
  labels: { release: "7" },
  priority: 3,
});
const jobsOf = (text: string, keyPrefix?: string, folder = process.cwd()) =>
  jobsOfList("list", { text, folder }, { settings: SETTINGS, keyPrefix }).map(({ line, request }) => ({
    line,
    key: request.idempotencyKey,
    ...request.job,
  }));
const refused = (text: string) => {
  try {
    jobsOf(text);
  } catch (error) {
    return messageOf(error);
  }
  return "accepted";
};

describe("reading", () => {
  test("leaves no listener on the signal if the file cannot be read, and stops when the signal aborts", async () => {
    const stop = new AbortController();
    const read = () => readList("/no/such/list", process.stdin, stop.signal);
    await assert.rejects(read, /no such file or directory/);
    assert.deepEqual(getEventListeners(stop.signal, "abort"), []);
    stop.abort();
    await assert.rejects(read, { code: "SCORE_CANCELLED" });
  });
});

describe("CSV", () => {
  test("has one job per row; options give the defaults", () => {
    const [first, second, ...more] = jobsOf(
      'reference,distorted,name,priority,model,label:title\n/a.mov,/a.mp4,"A, ""the"" film",-5,own,x\n/b.mov,b.mp4,,,,\n',
    );
    assert.equal(more.length, 0);
    assert.deepEqual(
      [first?.line, first?.reference, first?.name, first?.priority, first?.model, first?.models],
      [2, "/a.mov", 'A, "the" film', -5, "own", []],
    );
    assert.deepEqual(first?.labels, { release: "7", title: "x" });
    assert.deepEqual([second?.distorted, second?.priority], [join(process.cwd(), "b.mp4"), 3]);
    assert.deepEqual([second?.models, second?.features], [SETTINGS.models, ["psnr"]]);
  });

  test("reports the line and what is wrong; nothing is submitted", () => {
    for (const [text, reported] of [
      [
        "reference;distorted\na;b\n",
        /line 1: the header is separated by ";": separate the columns with commas\./,
      ],
      ["sep=;\nreference;distorted\na;b\n", /line 1: the header is separated by ";"/],
      [
        "reference\tdistorted\na\tb\n",
        /line 1: the header is separated by tabs: separate the columns with commas\./,
      ],
      ["distorted\na\n", /line 1: the header has no column "reference"/],
      ["reference,distorted\na,http://cdn.example/b.mp4\n", /line 2: The distorted video is given as a URL/],
      [
        "reference,distorted,models\na,b,c\n",
        /line 1: "models" isn't a valid column\. Valid columns: .*label:KEY/,
      ],
      ["reference,distorted,reference\na,b,c\n", /line 1: the column "reference" is given twice/],
      ["reference,distorted\na,b\na\n", /line 3: it has 1 cells, but the header has 2/],
      ["reference,distorted\n,b\n", /line 2: reference is missing/],
      ["reference,distorted,priority\na,b,high\n", /line 2: priority "high" is not a whole number/],
      ['reference,distorted\n"a\n,b\n', /line 2: a quote is not closed/],
      ["", /has no column|lists no jobs/],
      ["reference,distorted\n\n", /lists no jobs/],
    ] as const) {
      assert.match(refused(text), reported);
      assert.match(refused(text), /Nothing was submitted\.$/);
    }
  });

  test("has paths relative to the list's folder, and allows semicolons in labels", () => {
    const text = "reference,distorted,label:a;b\n../r.mov,/d.mp4,x\n";
    const [job] = jobsOf(text, undefined, "/lists/today");
    assert.deepEqual([job?.reference, job?.distorted, job?.labels?.["a;b"]], ["/lists/r.mov", "/d.mp4", "x"]);
  });

  test("keeps the names of objects in storages", () => {
    const text = "reference,distorted\ns3://masters/a b.mov,https://cdn.example/b.mp4\n";
    const [job] = jobsOf(text, undefined, "/lists/today");
    assert.deepEqual([job?.reference, job?.distorted], ["s3://masters/a b.mov", "https://cdn.example/b.mp4"]);
  });

  test("reads back any spreadsheet output", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", " ", "é") });
    const row = fc.array(cell, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row), fc.constantFrom("\n", "\r\n"), fc.boolean(), (rows, end, last) => {
        const quoted = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
        const text = quoted.join(end) + (last ? end : "");
        assert.deepEqual(
          [...csvRows(text)].map(({ cells }) => cells),
          rows,
        );
      }),
    );
  });
});

describe("JSON lines", () => {
  test("have the fields of the API, and may have an idempotency key", () => {
    const [first, second] = jobsOf(
      '{"reference":"/a","distorted":"/b","labels":{"release":"8"},"scaling":"REFUSE","idempotencyKey":"k"}\n' +
        '\n{"reference":"/c","distorted":"/d","features":[]}\r\n',
      "run",
    );
    assert.deepEqual([first?.key, first?.labels, first?.models], ["k", { release: "8" }, SETTINGS.models]);
    assert.deepEqual([second?.line, second?.key, second?.features], [3, "run/3", []]);
  });

  test("report the line and what is wrong", () => {
    const good = '{"reference":"/a","distorted":"/b"}\n';
    for (const [line, reported] of [
      ["{", /line 2: .*JSON/],
      ["[1]", /line 2: it is not a JSON object/],
      ['{"reference":"/a"}', /line 2: distorted is missing/],
      ['{"reference":"/a","distorted":"/b","nmae":"x"}', /line 2: .*nmae/],
      ['{"reference":"/a","distorted":"/b","priority":"high"}', /line 2: .*priority/],
      ['{"reference":"/a","distorted":"/b","labels":7}', /line 2: .*labels/],
      ['{"reference":"/a","distorted":"/b","idempotencyKey":7}', /line 2: idempotencyKey is not a string/],
    ] as const) {
      assert.match(refused(good + line), reported);
    }
  });
});
