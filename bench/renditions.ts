/**
 * What it saves to decode a reference once for all of its renditions: six scores of svc against its comparison of six, and
 * six bare runs of ffmpeg and libvmaf against a single one. Run with `npm run bench:renditions [SECONDS] [ROUNDS]`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { pairRequest } from "../src/engine/contract/request.ts";
import { openEngine } from "../src/engine/open.ts";
import { Failure } from "../src/platform/failure.ts";
import { interleave, printCpu, printTimings } from "./interleave.ts";
import { ffmpeg, makePair } from "./media.ts";

const THREADS = availableParallelism();
const SECONDS = Number(process.argv[2] ?? 4);
const ROUNDS = Number(process.argv[3] ?? 5);
/** A usual ladder: heights and rates in kbit/s. */
const LADDER = [
  [1080, 6000],
  [1080, 4000],
  [720, 2500],
  [540, 1500],
  [360, 800],
  [270, 400],
] as const;
const names = LADDER.map(([height, rate]) => `${height}-${rate}.mp4`);

/** Scores renditions in one run, which decodes the reference once. */
async function score(directory: string, some: readonly string[]): Promise<void> {
  const inputs = ["reference.mp4", ...some].flatMap((name) => ["-i", name]);
  const branches = some.map((_, index) => `[r${index}]`).join("");
  const chains = some.map((_, index) => {
    const compared = `[${index + 1}:v]settb=1/1000,setpts=N,scale=1920:1080:flags=bicubic[d${index}]`;
    return `${compared};[d${index}][r${index}]libvmaf=n_threads=${THREADS}:log_fmt=csv:log_path=${index}.csv[o${index}]`;
  });
  const graph = [`[0:v]settb=1/1000,setpts=N,split=${some.length}${branches}`, ...chains].join(";");
  const outputs = some.flatMap((_, index) => ["-map", `[o${index}]`, "-f", "null", "-"]);
  await ffmpeg([...inputs, "-filter_complex", graph, ...outputs], directory);
}

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  const engine = await openEngine({ threads: THREADS });
  const requests = names.map((name) =>
    pairRequest({ reference: join(directory, "reference.mp4"), distorted: join(directory, name) }),
  );
  for (const [what, rate] of [
    ["a source of 12 Mbit/s", "12M"],
    ["a source of 120 Mbit/s", "120M"],
  ] as const) {
    await makePair(directory, "1920x1080", SECONDS, rate);
    for (const [index, [height, kilobits]] of LADDER.entries()) {
      const options = [
        "-vf",
        `scale=-2:${height}`,
        "-c:v",
        "libx264",
        "-preset",
        "fast",
        "-b:v",
        `${kilobits}k`,
      ];
      await ffmpeg(["-i", "reference.mp4", ...options, names[index] ?? ""], directory);
    }
    const timings = await interleave(
      [
        {
          name: "six runs",
          run: async () => {
            for (const name of names) await score(directory, [name]);
          },
        },
        { name: "one run of six", run: () => score(directory, names) },
      ],
      ROUNDS,
    );
    const ofSvc = await interleave(
      [
        {
          name: "svc: six scores",
          run: async () => {
            for (const request of requests) await engine.score(request);
          },
        },
        {
          name: "svc: a comparison of six",
          run: async () => {
            const results = await engine.scoreTogether(requests);
            for (const result of results) if (result instanceof Failure) throw result;
          },
        },
      ],
      ROUNDS,
    );
    const title = `${what}, ${SECONDS} s of 1080p, ${cpus()[0]?.model}, ${THREADS} threads`;
    for (const some of [timings, ofSvc]) {
      printTimings(`${title}: wall`, some);
      printCpu(`${title}: CPU`, some);
    }
  }
} finally {
  await rm(directory, { recursive: true });
}
