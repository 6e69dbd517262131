/** A comparison says if its cells were scored by different versions of libvmaf. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { reportLines } from "../../../src/cli/compare/report.ts";
import { type Comparison, ComparisonSchema } from "../../../src/gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../../src/gen/proto/svc/v1/job_pb.ts";
import { comparisonJson } from "../../../src/messages/json.ts";
import { reportPage } from "../../../src/report/page.ts";

const terminal = { columns: 200, unicode: false, color: false, live: false } as const;

const pageOf = (comparison: Comparison) => [...reportPage(comparisonJson(comparison), "1.0.0")].join("");

function comparisonBy(...libvmafs: readonly string[]): Comparison {
  return create(ComparisonSchema, {
    progress: { succeeded: libvmafs.length },
    createTime: timestampFromMs(0),
    settings: {},
    cells: libvmafs.map((libvmafVersion, index) => ({
      number: index + 1,
      distorted: `${index + 1}.mp4`,
      state: Job_State.SUCCEEDED,
      scorer: { program: "ffmpeg", version: "n9.0.2", libvmafVersion },
    })),
  });
}

test("two versions of libvmaf are named with the number of cells, and their difference", () => {
  const mixed = comparisonBy("3.0.0", "3.2.0", "3.2.0");
  const text = reportLines(mixed, terminal).join("\n");
  assert.match(text, /scored by different scorers: ffmpeg n9\.0\.2, libvmaf 3\.0\.0 \(1 job\);/);
  assert.match(text, /libvmaf 3\.2\.0 \(2 jobs\)\. Between versions of libvmaf/);
  assert.match(pageOf(mixed), /Between versions of libvmaf/);
});

test("results of one version of the scorer have no note", () => {
  const same = comparisonBy("3.2.0", "3.2.0");
  assert.doesNotMatch(reportLines(same, terminal).join("\n"), /different scorers/);
  assert.doesNotMatch(pageOf(same), /Between versions/);
});
