/**
 * Follows the resources of one kind in one namespace: lists them, then watches for changes.
 *
 * A watch that ends, breaks or is refused is resumed where it ended, so that a server that is overloaded or refuses
 * watches is not asked for the whole list repeatedly. The resources are listed again only if the watch cannot be
 * resumed: its version is too old, or the server's response is invalid. The known resources stay in effect until then.
 */
import { BackOff } from "../platform/concurrency/back-off.ts";
import { Background, pause } from "../platform/concurrency/lifecycle.ts";
import { isObject } from "../platform/json.ts";
import type { ApiClient } from "./api-client.ts";
import { ApiFault } from "./api-fault.ts";
import { Collection } from "./collection.ts";
import { versionOf } from "./resource.ts";

/** Resources per page of a list; some megabytes at most. */
const PAGE = 500;
/**
 * Seconds after which the server ends a watch, after a bookmark. A watch that is silent for some seconds more
 * is dead, even if the connection does not report it. So a dead watch is detected within this time and a few
 * seconds.
 */
const WATCH_SECONDS = 10;
const SILENCE_MS = (WATCH_SECONDS + 5) * 1000;
/** Milliseconds. A watch that ends sooner did not work; without a pause it would be repeated endlessly. */
const SOUND_MS = 1_000;
/**
 * Milliseconds between two attempts. The longest is short because changes are unknown until the server answers again.
 */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds. A server may ask for a pause of up to this length, which is added to the usual one. */
const MAX_ASKED_PAUSE_MS = 30_000;

export interface InformerOptions {
  readonly client: ApiClient;
  /** Path of the collection, "/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL". */
  readonly path: string;
  /**
   * Called when the resources may have changed: once for several changes that arrive together. Must not
   * throw.
   */
  readonly changed: () => void;
  /** Called after the resources were listed: everything up to now is known. */
  readonly listed: () => void;
  /**
   * Called when a watch began or sent something: everything up to now is known, and changes will be reported.
   */
  readonly onChange: () => void;
  /** Called when the known resources may be out of date from now on, until `onChange` is called. */
  readonly lost: (fault: ApiFault) => void;
}

export class Informer {
  readonly collection = new Collection();
  readonly #options: InformerOptions;
  readonly #backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  readonly #following = new Background((signal, isStarted) => this.#follow(signal, isStarted));
  /** Resource version up to which everything is known; undefined: list first. */
  #version: string | undefined;
  #reporting: NodeJS.Immediate | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#following.start();
  }

  /** Resolves when the resources were listed for the first time. */
  get started(): Promise<void> {
    return this.#following.started;
  }

  /** Idempotent; may be called before the start. */
  async stop(): Promise<void> {
    await this.#following.stop();
    clearImmediate(this.#reporting);
  }

  async #follow(signal: AbortSignal, isStarted: () => void): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        if (this.#version === undefined) {
          await this.#list(signal);
          isStarted();
        }
        await this.#watch(signal);
        if (performance.now() - startedAt > SOUND_MS) this.#backOff.reset();
        else await pause(this.#backOff.next(), signal);
      } catch (thrown) {
        if (signal.aborted) return;
        if (!(thrown instanceof ApiFault)) throw thrown;
        if (performance.now() - startedAt > SOUND_MS && isOfConnection(thrown)) this.#backOff.reset();
        if (endsTheLine(thrown)) this.#version = undefined;
        this.#options.lost(thrown);
        const asked = Math.min(thrown.retryAfterMs ?? 0, MAX_ASKED_PAUSE_MS);
        await pause(asked + this.#backOff.next(), signal);
      }
    }
  }

  /** Reads a list in pages; all pages show the state at the time of the first. */
  async #list(signal: AbortSignal): Promise<void> {
    const { client, path, listed } = this.#options;
    const items: unknown[] = [];
    let next: string | undefined = "";
    let version: string | undefined;
    while (next !== undefined) {
      const query = { limit: String(PAGE), ...(next !== "" && { continue: next }) };
      const page: unknown = await client.ask({ path, query, signal });
      version = versionOf(page);
      const found = isObject(page) ? page["items"] : undefined;
      if (version === undefined || !Array.isArray(found))
        throw new ApiFault(
          "malformed",
          `The API server answered GET ${path} with something other than a list.`,
        );
      items.push(...found);
      next = continuationOf(page);
    }
    this.collection.replace(items);
    this.#version = version;
    listed();
    this.#notify();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, path, onChange } = this.#options;
    const query = {
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: this.#version ?? "",
      timeoutSeconds: String(WATCH_SECONDS),
    };
    for await (const line of client.lines({ path, query, signal }, SILENCE_MS)) {
      if (line !== "") {
        this.#version = this.collection.take(line);
        this.#notify();
      }
      onChange();
    }
  }

  /** Calls back once for all events that arrived together. */
  #notify(): void {
    this.#reporting ??= setImmediate(() => {
      this.#reporting = undefined;
      this.#options.changed();
    });
  }
}

function isOfConnection({ reason }: ApiFault): boolean {
  return reason === "unreachable" || reason === "timeout";
}

/** Whether the watch cannot be resumed. `not_found`: the definition was deleted, and the resources with it. */
function endsTheLine({ reason }: ApiFault): boolean {
  return reason === "gone" || reason === "malformed" || reason === "not_found";
}

function continuationOf(page: unknown): string | undefined {
  const metadata = isObject(page) ? page["metadata"] : undefined;
  const next = isObject(metadata) ? metadata["continue"] : undefined;
  return typeof next === "string" && next !== "" ? next : undefined;
}
