/** Whether the controller answers. After contact is lost, reports and pulls wait until a heartbeat is answered. */
import type { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
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

  /** Sets the listener that is called when a heartbeat should be sent at once to check the connection. */
  set whenInDoubt(listener: () => void) {
    this.#whenInDoubt = listener;
  }

  /** Why contact was lost; undefined while the controller answers. */
  get lost(): Failure | undefined {
    return this.#lost;
  }

  /** Records that the controller answered a heartbeat or a registration. */
  reached(): void {
    if (this.#lost !== undefined) this.#log.info("controller answers again");
    this.#lost = undefined;
    this.#metrics.connected.set(1);
    this.#reached.resolve();
  }

  /** Records that a call failed for a reason unrelated to the task. */
  fail(failure: Failure): void {
    // The controller answers, and will end the session at the next heartbeat.
    if (endsSession(failure)) {
      this.#whenInDoubt();
      return;
    }
    if (this.#lost?.code !== failure.code) {
      const { code, message: detail } = failure;
      const what = refusesNode(failure)
        ? "the controller rejects this node"
        : "lost contact with the controller";
      this.#log.warn({ code, detail }, `${what}; running tasks continue`);
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

/** Whether a failure means that the session has ended. */
export function endsSession({ code }: Failure): boolean {
  return code === "SESSION_UNKNOWN" || code === "NODE_SUPERSEDED";
}

/** Whether the controller answers but rejects the node's token, or its role. */
function refusesNode({ kind }: Failure): boolean {
  return kind === "unauthenticated" || kind === "forbidden";
}
