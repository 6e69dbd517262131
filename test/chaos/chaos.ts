/** A chaos run: load on a real installation while its processes are killed, followed by an audit of all jobs. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sequence } from "../media/crafted.ts";
import { MediaDirectory } from "../media/directory.ts";
import { until } from "../waiting.ts";
import { type Audit, Auditor, MAX_FAILURES } from "./audit.ts";
import { Installation, SLOTS } from "./installation.ts";
import { Killer } from "./killer.ts";
import { Load } from "./load.ts";
import { type ChaosMedia, makeMedia } from "./media.ts";
import type { FaultKind } from "./schedule.ts";
import { ChaosStorage } from "./storage.ts";
import { openChaosStore, type StoreName } from "./stores.ts";
import { Watcher } from "./watcher.ts";

/** Milliseconds for every job to end after the last fault, including leases and back-offs. */
const SETTLE_MS = 300_000;
/** What a node logs when its report comes too late. */
const REFUSED = "report refused; this node no longer holds the lease";

export interface ChaosOptions {
  readonly store: StoreName;
  /** Where the media are: files of the machine, or objects of a storage that fails as well. */
  readonly media?: "files" | "storage";
  /**
   * The random seed; the same seed repeats the same faults. Their targets and the load also depend on the machine's
   * speed.
   */
  readonly seed: number;
  readonly kills: number;
  /** Called with a line for every fault. */
  readonly say: (line: string) => void;
  /** Aborts the run, which then throws the signal's reason and leaves nothing behind. */
  readonly signal: AbortSignal;
}

/** The result of a run. It passed if `faults` is empty. */
export interface Outcome {
  readonly faults: readonly string[];
  readonly kills: number;
  readonly blows: Readonly<Partial<Record<FaultKind, number>>>;
  readonly seconds: number;
  /** Seconds from the last fault to the end of the last job. */
  readonly settleSeconds: number;
  readonly jobs: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly struckDown: readonly string[];
  /** Repeated submissions, and those of them that had already been stored without a response. */
  readonly repeatedSubmits: number;
  readonly existed: number;
  readonly events: number;
  readonly resumed: number;
  readonly segmentsScored: number;
  readonly framesCompared: number;
  readonly stillsCompared: number;
  readonly attemptsAboveFirst: number;
  /** Late reports of nodes whose task had been leased to another node. */
  readonly refusedReports: number;
  /** Responses of the storage that were cut. */
  readonly cuts: number;
  /** Ends of the logs, for a failed run. */
  readonly logs: string;
}

export async function chaos(options: ChaosOptions): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "svc-chaos-"));
  const media = await MediaDirectory.open();
  try {
    const files = await makeMedia(media);
    await using storage = options.media === "storage" ? await ChaosStorage.open(folder, files) : undefined;
    const store = await openChaosStore(options.store, folder);
    try {
      const installation = await Installation.start(folder, store, storage && { settings: storage.settings });
      try {
        const outcome = await run(installation, storage?.media ?? files, options);
        return { ...outcome, cuts: storage?.cuts ?? 0 };
      } finally {
        await installation.killAll();
      }
    } finally {
      await store.close();
    }
  } finally {
    await media.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(
  installation: Installation,
  media: ChaosMedia,
  options: ChaosOptions,
): Promise<Omit<Outcome, "cuts">> {
  const { seed, say, signal } = options;
  const started = performance.now();
  const watcher = new Watcher(installation.grpc);
  await watcher.start();
  const load = new Load(installation.grpc, { media, watcher, random: sequence(seed) });
  const killer = new Killer(installation, seed, say);
  const auditor = new Auditor(installation.grpc);
  try {
    await strikeUnderLoad(load, killer, options);
    const struck = performance.now();
    await settled(load, installation, signal);
    const settleSeconds = (performance.now() - struck) / 1000;
    const audit = await auditor.audit(load.acknowledged, watcher.events);
    const { resumed } = watcher;
    await watcher.stop();
    const faults = [
      ...audit.faults,
      ...tooManyKilled(audit, killer),
      ...(await endFaults(installation, watcher)),
    ];
    return {
      ...audit,
      faults,
      kills: killer.kills,
      blows: Object.fromEntries(killer.counts),
      seconds: (performance.now() - started) / 1000,
      settleSeconds,
      ...loadFigures(load),
      events: watcher.events.length,
      resumed,
      refusedReports: installation.logged(REFUSED),
      logs: faults.length > 0 ? installation.logs() : "",
    };
  } finally {
    await watcher.stop();
    load.close();
    auditor.close();
  }
}

/** A fault hits at most as many tasks as a node has slots; a job fails only after several hits on one task. */
function tooManyKilled({ struckDown }: Audit, { counts }: Killer): string[] {
  const blows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const most = (blows * Math.max(...SLOTS)) / MAX_FAILURES;
  return struckDown.length > most ? [`${struckDown.length} jobs failed after ${blows} injected faults`] : [];
}

async function strikeUnderLoad(
  load: Load,
  killer: Killer,
  { kills, signal }: Pick<ChaosOptions, "kills" | "signal">,
): Promise<void> {
  const enough = new AbortController();
  const loading = load.run(enough.signal);
  try {
    // The first to fail ends the run.
    await Promise.race([killer.run(kills), loading, untilAborted(signal)]);
  } finally {
    enough.abort();
  }
  await Promise.race([loading, untilAborted(signal)]);
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  await once(signal, "abort");
  throw signal.reason;
}

async function settled(load: Load, installation: Installation, signal: AbortSignal): Promise<void> {
  await until(
    () => signal.aborted || load.unsettled.length === 0,
    () =>
      `jobs to end and their stills to come: ${load.unsettled.map(({ id }) => id).join(", ")}\n${installation.logs()}`,
    SETTLE_MS,
  );
  signal.throwIfAborted();
}

/** Stops everything, and returns what was wrong in the end. */
async function endFaults(installation: Installation, { snapshots }: Watcher): Promise<string[]> {
  const faults: string[] = [];
  if (snapshots !== 1) faults.push(`the stream started ${snapshots} times with a snapshot`);
  for (const end of await installation.stop()) if (!end.endsWith(" 0")) faults.push(`bad exit: ${end}`);
  faults.push(...installation.programs.flatMap(({ unasked }) => unasked));
  for (const left of await installation.leftovers()) faults.push(`left behind: ${left}`);
  faults.push(...(await installation.store.faults()));
  return faults;
}

function loadFigures({ acknowledged }: Load) {
  return {
    jobs: acknowledged.length,
    repeatedSubmits: acknowledged.filter(({ attempts }) => attempts > 1).length,
    existed: acknowledged.filter(({ existed }) => existed).length,
  };
}
