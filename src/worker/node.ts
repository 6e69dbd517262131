/** A worker: registers with a controller, pulls tasks, runs them and reports the results. */
import type { Connection } from "../client/connection/connection.ts";
import type { WorkEngine } from "../engine/contract/work.ts";
import type { MediaRoots } from "../engine/files/roots.ts";
import { NodeService } from "../gen/proto/svc/v1/node_pb.ts";
import { BackOff } from "../platform/concurrency/back-off.ts";
import { Background, pause, untilAborted, within } from "../platform/concurrency/lifecycle.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
import { PASSING, type Tracer } from "../platform/observability/span.ts";
import { Contact } from "./contact.ts";
import { Leases } from "./lease.ts";
import { MEDIA_SIDES } from "./media/leased-media.ts";
import { type MediaCacheSettings, NodeMedia, type NodeMediaOptions } from "./media/node-media.ts";
import type { NodeMetrics } from "./metrics.ts";
import { Reporter } from "./reporter.ts";
import { Session } from "./session.ts";
import { Worker } from "./worker.ts";

const REGISTER_TIMEOUT_MS = 10_000;
const SIGN_TIMEOUT_MS = 20_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Milliseconds to stop scorers and hand their tasks back. */
export const HAND_BACK_LIMIT_MS = 6_000;

export interface NodeOptions {
  readonly connection: Connection;
  /** An engine that is being opened (engine/opening.ts). */
  readonly opening: { readonly started: Promise<void>; readonly engine: WorkEngine };
  /** Unique among the nodes of its tenant; registering a name again ends the earlier session. */
  readonly name: string;
  /** Tasks at a time. */
  readonly slots: number;
  /** Wall-clock limit of one task in milliseconds. */
  readonly timeoutMs: number;
  readonly version: string;
  readonly mediaCache: MediaCacheSettings;
  /** Where titles may be read; undefined: anywhere on this machine. */
  readonly mediaRoots: MediaRoots | undefined;
  readonly metrics: NodeMetrics;
  readonly log: Log;
  /** Default: one that only propagates the controller's trace context. */
  readonly tracer?: Tracer | undefined;
}

export class Node {
  readonly #options: NodeOptions;
  readonly #background: Background;
  readonly #leases = new Leases();
  readonly #contact: Contact;
  readonly #reporter: Reporter;
  readonly #media: NodeMedia;
  readonly #worker: Worker;
  readonly #superseded = Promise.withResolvers<Failure>();
  #session: Session | undefined;
  #stopping = false;

  constructor(options: NodeOptions) {
    this.#options = options;
    const { connection, opening, metrics, log, tracer = PASSING } = options;
    this.#contact = new Contact(log, metrics);
    this.#reporter = new Reporter({ connection, contact: this.#contact, metrics, log });
    const engine = () => opening.engine;
    const sign = signer(connection);
    this.#media = new NodeMedia({ ...options.mediaCache, roots: options.mediaRoots, sign, metrics, log });
    const media = this.#media;
    this.#worker = new Worker({
      ...options,
      tracer,
      engine,
      media,
      leases: this.#leases,
      reporter: this.#reporter,
    });
    this.#background = new Background((signal, isStarted) => this.#live(signal, isStarted));
  }

  start(): void {
    this.#background.start();
  }

  /** Resolves after the first registration. */
  get started(): Promise<void> {
    return this.#background.started;
  }

  /** Resolves when another node registered the same name. The node then takes no more tasks and must be stopped. */
  get superseded(): Promise<Failure> {
    return this.#superseded.promise;
  }

  /** Throws Failure, with the reason, if the node cannot take tasks now. */
  checkReady(): void {
    void this.#options.opening.engine;
    const { lost } = this.#contact;
    if (lost?.kind === "unavailable") throw lost;
    // Not the failure itself: a probe that receives the code of a rejected token would seem to have its own
    // token rejected.
    if (lost !== undefined) throw new Failure("SERVER_UNREACHABLE", lost.message, { cause: lost });
    if (this.#session === undefined) {
      throw new Failure("SERVER_UNREACHABLE", "The node is not registered with the controller yet.");
    }
    if (this.#stopping || this.#session.draining) {
      throw new Failure("SHUTTING_DOWN", "The node is draining and takes no new tasks.");
    }
  }

  /** Takes no new tasks, waits `limitMs` for running ones, hands back the rest, and leaves. */
  async drain(limitMs: number): Promise<void> {
    this.#stopping = true;
    this.#session?.drain();
    if (!(await within(limitMs, () => this.#leases.untilNone()))) {
      this.#options.log.warn({ left: this.#leases.size }, "drain timeout; handing back running tasks");
      this.#leases.stopAll("HAND_BACK");
      await within(HAND_BACK_LIMIT_MS, () => this.#leases.untilNone());
    }
    await this.stop();
  }

  /** Kills running tasks at once and waits until they are cleaned up; notifies the controller if possible. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#reporter.kill();
    this.#leases.stopAll("KILLED");
    await this.#background.stop();
    await within(HAND_BACK_LIMIT_MS, () => this.#leases.untilNone());
    await this.#session?.leave();
    await this.#media.close();
    this.#session = undefined;
  }

  async #live(signal: AbortSignal, isStarted: () => void): Promise<void> {
    await Promise.race([this.#options.opening.started, untilAborted(signal)]);
    while (!signal.aborted && !this.#stopping) {
      const session = await this.#register(signal);
      if (session === undefined) return;
      isStarted();
      this.#session = session;
      if (this.#stopping) session.drain();
      const reason = await session.run(signal);
      if (reason === undefined) return;
      this.#session = undefined;
      if (reason.code === "NODE_SUPERSEDED") {
        this.#options.log.error(
          { code: reason.code, detail: reason.message },
          "another node registered with this name; stopping",
        );
        this.#superseded.resolve(reason);
        return;
      }
      this.#options.log.warn({ code: reason.code }, "the session has ended; registering again");
    }
  }

  /** Retries until it succeeds; returns undefined if the signal aborts first. */
  async #register(signal: AbortSignal): Promise<Session | undefined> {
    const { connection, name, slots, log } = this.#options;
    const backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    while (!signal.aborted && !this.#stopping) {
      try {
        const request = { name, slots, capabilities: await this.#capabilities() };
        const options = { timeoutMs: REGISTER_TIMEOUT_MS, signal };
        const registered = await connection.call(NodeService.method.registerNode, request, options);
        this.#contact.reached();
        log.info({ nodeId: registered.nodeId, name, slots, controller: connection.address }, "registered");
        const parts = {
          ...this.#options,
          leases: this.#leases,
          worker: this.#worker,
          contact: this.#contact,
        };
        return new Session(registered, parts);
      } catch (thrown) {
        if (signal.aborted) return undefined;
        const { code, message: detail } = Failure.from(thrown);
        const retryInMs = Math.round(backOff.next());
        log.warn({ code, detail, retryInMs, controller: connection.address }, "failed to register; retrying");
        await pause(retryInMs, signal);
      }
    }
    return undefined;
  }

  async #capabilities() {
    const { opening, version } = this.#options;
    const all = await opening.engine.scorers();
    const [first, ...moreScorers] = all.map(({ scorer, models, scoredBy = "" }) => ({
      scorer: { ...scorer },
      models: models.map(({ name, digest }) => ({ name, digest })),
      scoredBy,
    }));
    const stills = await opening.engine.makesStills();
    const clips = await opening.engine.makesClips();
    const diagnoses = opening.engine.canDiagnose;
    return { ...first, moreScorers, version, stills, clips, diagnoses, titles: true, storedTitles: true };
  }
}

/** Asks the controller for URLs of objects of titles. */
function signer(connection: Connection): NodeMediaOptions["sign"] {
  return ({ session, itemId, attempt }, side, paths, signal) => {
    const request = { session, itemId, attempt, side: MEDIA_SIDES[side], paths: [...paths] };
    const options = { timeoutMs: SIGN_TIMEOUT_MS, signal };
    return connection.call(NodeService.method.signTitleObjects, request, options);
  };
}
