/** Whether the controller answers. After a loss, its answer to a heartbeat is what counts: reports and pulls wait for it. */
import type { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/log.ts";
import type { NodeMetrics } from "./metrics.ts";

export class Contact {
  readonly #log: Log;
  readonly #metrics: NodeMetrics;
  #whenInDoubt = () => {};
  #lost: Failure | undefined;
  #reached = Promise.withResolvers<void>();

  constructor(log: Log, metrics: NodeMetrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Called when a heartbeat should go at once, to find out how things are; in place of the listener before. */
  set whenInDoubt(listener: () => void) {
    this.#whenInDoubt = listener;
  }

  /** Why the controller was lost; undefined while it answers. */
  get lost(): Failure | undefined {
    return this.#lost;
  }

  /** The controller answered a heartbeat or a registration. */
  reached(): void {
    if (this.#lost !== undefined) this.#log.info("controller answers again");
    this.#lost = undefined;
    this.#metrics.connected.set(1);
    this.#reached.resolve();
  }

  /** A call failed for a reason that says nothing about the work. */
  fail(failure: Failure): void {
    // Such a controller answers: the next heartbeat hears the same and ends the session.
    if (endsSession(failure)) {
      this.#whenInDoubt();
      return;
    }
    if (this.#lost?.code !== failure.code) {
      const { code, message: detail } = failure;
      const what = refusesNode(failure) ? "the controller refuses this node" : "controller lost";
      this.#log.warn({ code, detail }, `${what}; what runs goes on`);
    }
    if (this.#lost === undefined) {
      this.#reached = Promise.withResolvers<void>();
      this.#metrics.connected.set(0);
      this.#whenInDoubt();
    }
    this.#lost = failure;
  }

  /** Resolves when the controller answers, or when the signal aborts. */
  async untilReached(signal: AbortSignal): Promise<void> {
    if (this.#lost === undefined || signal.aborted) return;
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const abort = () => resolve();
    signal.addEventListener("abort", abort);
    await Promise.race([this.#reached.promise, aborted]);
    signal.removeEventListener("abort", abort);
  }
}

/** Whether a failure means that the session is over. */
export function endsSession({ code }: Failure): boolean {
  return code === "SESSION_UNKNOWN" || code === "NODE_SUPERSEDED";
}

/** Whether the controller answers, and takes the node's token for nobody's, or for somebody's who may not. */
function refusesNode({ kind }: Failure): boolean {
  return kind === "unauthenticated" || kind === "forbidden";
}
