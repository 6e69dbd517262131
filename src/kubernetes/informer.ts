/**
 * Follows the resources of one kind in one namespace: lists them, then watches what changes.
 *
 * A watch that ends, breaks or is refused goes on where it was: a server that is overloaded, or lets nobody watch,
 * is not asked for all of it again and again. All is listed anew when that cannot lead on: it lies too far back, or
 * what the server says makes no sense. What was known stays until something newer is.
 */
import { BackOff } from "../platform/back-off.ts";
import { isObject } from "../platform/json.ts";
import { Background, pause } from "../platform/lifecycle.ts";
import type { ApiClient } from "./api-client.ts";
import { ApiFault } from "./api-fault.ts";
import { Collection } from "./collection.ts";
import { versionOf } from "./resource.ts";

/** Resources in a page of a list: some megabytes at most. */
const PAGE = 500;
/**
 * Seconds after which the server ends a watch, with a bookmark before. A watch on which nothing comes for
 * some seconds more is dead, even where the connection does not say so: so that is known this soon.
 */
const WATCH_SECONDS = 10;
const SILENCE_MS = (WATCH_SECONDS + 5) * 1000;
/** Milliseconds. What ends sooner than that did not work: without a pause it would be asked for without end. */
const SOUND_MS = 1_000;
/** Milliseconds between two tries. What comes back is noticed soon: until then a change is not known. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds. A server may ask for a longer pause, and has at most this one before them. */
const MOST_ASKED_PAUSE_MS = 30_000;

export interface InformerOptions {
  readonly client: ApiClient;
  /** Of the collection, "/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL". */
  readonly path: string;
  /** The resources may have changed; not called for each when many come at once. Never throws. */
  readonly changed: () => void;
  /** All was listed: up to now everything is known. */
  readonly listed: () => void;
  /** A watch began, or goes on: up to now everything is known, and what changes will be. */
  readonly heard: () => void;
  /** What is known may be out of date from now on, until `heard`. */
  readonly lost: (fault: ApiFault) => void;
}

export class Informer {
  readonly collection = new Collection();
  readonly #options: InformerOptions;
  readonly #backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  readonly #following = new Background((signal, isStarted) => this.#follow(signal, isStarted));
  /** Everything up to it is known; undefined: list. */
  #version: string | undefined;
  #telling: NodeJS.Immediate | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#following.start();
  }

  /** Resolves when all resources are known for the first time. */
  get started(): Promise<void> {
    return this.#following.started;
  }

  /** Safe twice, and before the start. */
  async stop(): Promise<void> {
    await this.#following.stop();
    clearImmediate(this.#telling);
  }

  async #follow(signal: AbortSignal, isStarted: () => void): Promise<void> {
    while (!signal.aborted) {
      const begun = performance.now();
      try {
        if (this.#version === undefined) {
          await this.#list(signal);
          isStarted();
        }
        await this.#watch(signal);
        if (performance.now() - begun > SOUND_MS) this.#backOff.reset();
        else await pause(this.#backOff.next(), signal);
      } catch (thrown) {
        if (signal.aborted) return;
        if (!(thrown instanceof ApiFault)) throw thrown;
        if (performance.now() - begun > SOUND_MS && isOfConnection(thrown)) this.#backOff.reset();
        if (endsTheLine(thrown)) this.#version = undefined;
        this.#options.lost(thrown);
        const asked = Math.min(thrown.retryAfterMs ?? 0, MOST_ASKED_PAUSE_MS);
        await pause(asked + this.#backOff.next(), signal);
      }
    }
  }

  /** In pages, all of the state that is the newest when the first is asked for. */
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
        throw new ApiFault("malformed", `The API server answers GET ${path} with what is no list.`);
      items.push(...found);
      next = continuationOf(page);
    }
    this.collection.replace(items);
    this.#version = version;
    listed();
    this.#tell();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, path, heard } = this.#options;
    const query = {
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: this.#version ?? "",
      timeoutSeconds: String(WATCH_SECONDS),
    };
    for await (const line of client.lines({ path, query, signal }, SILENCE_MS)) {
      if (line !== "") {
        this.#version = this.collection.take(line);
        this.#tell();
      }
      heard();
    }
  }

  /** Once for all events that came together. */
  #tell(): void {
    this.#telling ??= setImmediate(() => {
      this.#telling = undefined;
      this.#options.changed();
    });
  }
}

function isOfConnection({ reason }: ApiFault): boolean {
  return reason === "unreachable" || reason === "timeout";
}

/** No watch can go on where the last one was. `not_found`: the definition went, and the resources with it. */
function endsTheLine({ reason }: ApiFault): boolean {
  return reason === "gone" || reason === "malformed" || reason === "not_found";
}

function continuationOf(page: unknown): string | undefined {
  const metadata = isObject(page) ? page["metadata"] : undefined;
  const next = isObject(metadata) ? metadata["continue"] : undefined;
  return typeof next === "string" && next !== "" ? next : undefined;
}
