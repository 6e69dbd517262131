/**
 * Runs `svc migrate --results`: moves stills, clips and per-frame scores to the chosen place, and prints its progress.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import { ResultMetrics } from "../../controller/results/metrics.ts";
import { ResultMover } from "../../controller/results/mover.ts";
import { ResultReader } from "../../controller/results/reader.ts";
import { ObjectReader } from "../../media/objects/reader.ts";
import { ResultObjects } from "../../media/results/objects.ts";
import { CredentialSource } from "../../media/storages/credentials.ts";
import { Signer } from "../../media/storages/signer.ts";
import { Failure } from "../../platform/failure.ts";
import { openLog } from "../../platform/observability/log.ts";
import type { ResultPlace } from "../../store/contract/result-store.ts";
import type { Store } from "../../store/contract/store.ts";
import { openStore, type StoreTarget } from "../../store/open.ts";
import { readResults } from "../controller/storages-setting.ts";

export interface MoveTask {
  /** The place to which results are moved. */
  readonly results: ResultPlace;
  /** The file of the results storage. */
  readonly file: string;
  readonly target: StoreTarget;
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 5_000;
/** Milliseconds before looking again for rows that other processes are moving, or whose move failed. */
const AGAIN_MS = 2_000;
/** Failed steps after which the rest is left to another run. */
const MOST_FAILURES = 20;

/** Throws UsageError, STORE_UNAVAILABLE, STORE_LOCKED; and STORAGE_UNAVAILABLE or RESULT_DAMAGED if something is left. */
export async function runMove({ results, file, target }: MoveTask): Promise<void> {
  const settings = await readResults(file);
  if (settings === undefined) throw new TypeError("a file of a results storage has one");
  const store = await openStore(target, openLog({ level: "error", format: "text" }));
  const requests = new ObjectReader();
  try {
    const { place, scoresAfterMs } = settings;
    const objects = new ResultObjects(place, new Signer(new CredentialSource()), requests);
    const metrics = new ResultMetrics(new Registry());
    const reader = new ResultReader(objects, metrics);
    await store.results.moveTo(results);
    await moveAll(
      store,
      new ResultMover({ store, objects, reader, metrics, scoresAfterMs }),
      results,
      scoresAfterMs,
    );
  } finally {
    await requests.close();
    await store.close();
  }
}

async function moveAll(
  store: Store,
  mover: ResultMover,
  to: ResultPlace,
  scoresAfterMs: number,
): Promise<void> {
  const from = to === "storage" ? "database" : "storage";
  const left = async () => (await store.results.count(Number.MAX_SAFE_INTEGER, scoresAfterMs))[from];
  let shownAt = Number.NEGATIVE_INFINITY;
  const failures: unknown[] = [];
  let before = Number.NaN;
  while (failures.length < MOST_FAILURES) {
    if (performance.now() - shownAt > PROGRESS_MS) {
      process.stdout.write(`${await left()} results are left to move to the ${to}\n`);
      shownAt = performance.now();
    }
    try {
      if ((await mover.move()) > 0) continue;
      const now = await left();
      if (now === 0) {
        process.stdout.write(`${AFTER[to]}\n`);
        return;
      }
      // Other processes may be moving the rest; if its number does not change, it cannot be moved.
      if (now === before && failures.length > 0) break;
      before = now;
    } catch (error) {
      failures.push(error);
      process.stderr.write(`${Failure.from(error).message}\n`);
    }
    await delay(AGAIN_MS);
  }
  process.stderr.write(`${await left()} results are left; run the command again.\n`);
  throw failures.at(-1);
}

const AFTER: Readonly<Record<ResultPlace, string>> = {
  storage:
    "Everything is in the storage. Controllers with --results-storage keep new stills and clips there, and scores of old jobs.",
  database:
    "Everything is in the database. Controllers with --results-storage begin to delete the objects after ten minutes; keep that setting until the storage is empty.",
};
