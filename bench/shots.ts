/**
 * What finding shots costs: the filter beside the scores, in the bare command. Run with `npm run bench:shots [SECONDS]
 * [ROUNDS]`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { CHANGE_CHAIN } from "../src/engine/scoring/change-log.ts";
import { interleave, printCpu, printTimings } from "./interleave.ts";
import { makePair, runBareScorer } from "./media.ts";

const THREADS = availableParallelism();
const SECONDS = Number(process.argv[2] ?? 10);
const ROUNDS = Number(process.argv[3] ?? 7);

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  for (const size of ["1920x1080", "640x360"]) {
    const title = `${size}, ${SECONDS} s, ${ROUNDS} rounds, ${cpus()[0]?.model}, ${THREADS} threads`;
    await makePair(directory, size, SECONDS);
    const timings = await interleave(
      [
        { name: "scores alone", run: () => runBareScorer(directory, THREADS) },
        {
          name: "scores and shots",
          run: () => runBareScorer(directory, THREADS, { beside: CHANGE_CHAIN }),
        },
      ],
      ROUNDS,
    );
    printTimings(`${title}: wall`, timings);
    printCpu(`${title}: CPU`, timings);
  }
} finally {
  await rm(directory, { recursive: true });
}
