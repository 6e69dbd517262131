/**
 * Cost of a job's spec: to check it at submission, and to read its stored text for a response or a claimed task.
 * Alternates between the two. Run with `npm run bench:spec`; ADR 28 has the results of one run.
 */
import { create } from "@bufbuild/protobuf";
import { checkSpec, readSpec } from "../src/controller/requests/job-spec.ts";
import { JobSpecSchema } from "../src/gen/proto/svc/v1/job_pb.ts";
import { median } from "./interleave.ts";

const ROUNDS = 31;
const TIMES = 20_000;

const spec = create(JobSpecSchema, {
  reference: "/media/trailer/reference.mp4",
  distorted: "/media/trailer/x264-medium-1080p-4000k.mp4",
  name: "trailer 1080p",
  labels: { title: "trailer", ladder: "x264-medium" },
  models: ["vmaf_v0.6.1"],
  priority: 10,
});
const { text } = checkSpec(spec, []);
const steps = { check: () => checkSpec(spec, []), read: () => readSpec(text) };
const micros: Record<keyof typeof steps, number[]> = { check: [], read: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, step] of Object.entries(steps) as [keyof typeof steps, () => unknown][]) {
    const before = process.cpuUsage();
    for (let time = 0; time < TIMES; time++) step();
    micros[name].push(process.cpuUsage(before).user / TIMES);
  }
}
for (const [name, values] of Object.entries(micros)) {
  process.stdout.write(`${name} ${median(values).toFixed(1)} µs of user CPU, ${text.length} characters\n`);
}
