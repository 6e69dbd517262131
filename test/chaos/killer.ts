/** Injects faults into the processes of an installation, one after another, and counts them. */
import { setTimeout as delay } from "node:timers/promises";
import { sequence } from "../media/crafted.ts";
import { until } from "../waiting.ts";
import type { Installation } from "./installation.ts";
import { scorersBelow } from "./processes.ts";
import type { Program } from "./program.ts";
import { BLOWS, type Blow, blows, type FaultKind } from "./schedule.ts";
import { sent } from "./stores.ts";

/** Milliseconds to wait for a scorer: after an outage tasks run again only when their leases have expired. */
const SCORER_WAIT_MS = 180_000;
const LOOK_MS = 5;

interface Struck {
  /** Resolves when the target is back, if it comes back later. */
  readonly back?: Promise<void>;
}

export class Killer {
  readonly counts = new Map<FaultKind, number>();
  readonly #installation: Installation;
  readonly #blows: Generator<Blow, never>;
  /** Draws among the targets present when a fault is due. */
  readonly #random: (below: number) => number;
  readonly #say: (line: string) => void;
  /** Targets that are down or paused, with the promise of their return. */
  readonly #struck = new Map<string, Promise<void>>();

  constructor(installation: Installation, seed: number, say: (line: string) => void) {
    const { nodes, store, leaseMs } = installation;
    const field = { nodes: nodes.length, database: store.database !== undefined, leaseMs };
    this.#installation = installation;
    this.#blows = blows(sequence(seed), field);
    this.#random = sequence(seed + 1);
    this.#say = say;
  }

  /** Processes killed so far; a paused process does not count. */
  get kills(): number {
    return [...this.counts].reduce((sum, [kind, count]) => sum + (BLOWS[kind].kill ? count : 0), 0);
  }

  /** Injects faults until this number of processes was killed; returns when everything is back. */
  async run(kills: number): Promise<void> {
    for (const blow of this.#blows) {
      if (this.kills >= kills) break;
      await delay(blow.afterMs);
      await this.#strike(blow);
    }
    await Promise.all(this.#struck.values());
  }

  /** Waits for a target that is still down from an earlier fault; different ones may be down together. */
  async #strike(blow: Blow): Promise<void> {
    const { kind } = blow;
    const target = targetOf(blow);
    await this.#struck.get(target);
    const { back } = await this.#hit(blow);
    // It is awaited before the next fault on the same target, so its rejection is handled only then.
    back?.catch(() => {});
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    this.#say(`${kind} ${count}${back === undefined ? "" : ` (${target}, ${blow.downMs} ms)`}`);
    if (back !== undefined) this.#struck.set(target, back);
  }

  async #hit({ kind, node, downMs }: Blow): Promise<Struck> {
    const { controller } = this.#installation;
    switch (kind) {
      case "controller":
        return this.#down(controller, downMs);
      case "node":
        return this.#down(this.#node(node), downMs);
      case "scorer":
        return this.#hitScorer();
      case "node stopped":
        return this.#stopped(this.#node(node), downMs);
      case "controller stopped":
        return this.#stopped(controller, downMs);
      default:
        return this.#hitDatabase(kind, downMs);
    }
  }

  async #hitDatabase(kind: FaultKind, downMs: number): Promise<Struck> {
    const { database } = this.#installation.store;
    if (database === undefined) throw new Error(`there is no database for the fault "${kind}"`);
    if (kind === "database connection") await database.endConnection(this.#random);
    if (kind === "database process") await database.killProcess(this.#random);
    if (kind === "database stopped") await database.stopAtOnce();
    if (kind === "postmaster") await database.killPostmaster();
    const isDown = kind === "database stopped" || kind === "postmaster";
    return isDown ? { back: delay(downMs).then(() => database.start()) } : {};
  }

  #node(index: number): Program {
    const program = this.#installation.nodes[index];
    if (program === undefined) throw new Error(`no node ${index}`);
    return program;
  }

  async #down(program: Program, downMs: number): Promise<Struck> {
    await program.kill();
    const startAgain = async () => void (await program.start());
    return { back: delay(downMs).then(startAgain) };
  }

  #stopped(program: Program, downMs: number): Struck {
    program.signal("SIGSTOP");
    return { back: delay(downMs).then(() => program.signal("SIGCONT")) };
  }

  /** Waits for a running scorer and kills it. */
  async #hitScorer(): Promise<Struck> {
    const running = () => this.#installation.nodes.flatMap(({ pid }) => (pid === 0 ? [] : scorersBelow(pid)));
    let killed = false;
    await until(
      async () => {
        const scorers = running();
        const chosen = scorers[this.#random(Math.max(1, scorers.length))];
        if (chosen !== undefined) killed = sent(chosen, "SIGKILL");
        if (!killed) await delay(LOOK_MS);
        return killed;
      },
      "a running scorer",
      SCORER_WAIT_MS,
    );
    return {};
  }
}

function targetOf({ kind, node }: Blow): string {
  if (BLOWS[kind].database) return "database";
  if (kind.startsWith("controller")) return "controller";
  return kind.startsWith("node") ? `node ${node}` : "scorer";
}
