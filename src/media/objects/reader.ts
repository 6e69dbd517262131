/** Sends requests to storages. Each response with a range of an object must be of the expected version. */
import type { Agent } from "undici";
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import { BackOff } from "../../platform/concurrency/back-off.ts";
import { pause } from "../../platform/concurrency/lifecycle.ts";
import { guardedGet, guardedSend, type Method } from "../net/fetch.ts";
import { guardedAgent, type Resolve } from "../net/guard.ts";
import { Refusal } from "../net/refusal.ts";
import { MAX_LIST_BYTES, type ObjectList, parseObjectList, refuseStatus, shortText } from "./listing.ts";
import {
  isStrong,
  type ObjectAccess,
  ObjectFault,
  type ObjectTrouble,
  type ObjectVersion,
} from "./object.ts";
import { isSame, otherStatus, type ShortResponse, versionIn } from "./response.ts";

/** Attempts without a single byte of progress, over about 30 seconds. */
export const MAX_ATTEMPTS = 8;
/** Attempts if a caller is waiting. */
const MAX_LOOKS = 3;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A storage may ask for a longer pause (Retry-After), up to this one. */
const LONGEST_ASKED_MS = 30_000;
/**
 * Milliseconds for which a file on a web server must be unchanged. Its time has whole seconds, and many
 * servers derive the ETag from it, so two changes within a second would look like one.
 */
const SETTLED_MS = 2_000;

export interface RangeRead {
  /** Called for each attempt: the URL may have been renewed. */
  readonly access: () => ObjectAccess;
  readonly version: ObjectVersion;
  readonly range: ByteRange;
  readonly signal: AbortSignal;
  /** Called with the bytes, in order. */
  readonly write: (chunk: Buffer, offset: number) => Promise<void>;
  /** Called if the storage refuses the URL, which may have expired. */
  readonly onDenied?: (() => void) | undefined;
}

export class ObjectReader {
  readonly #resolve: Resolve | undefined;
  /** Agents by whether they connect to private networks; opened at the first request. */
  readonly #agents = new Map<boolean, Promise<Agent>>();

  /** Default of `resolve`: the system's resolver. */
  constructor(resolve?: Resolve) {
    this.#resolve = resolve;
  }

  /** Ends all requests. */
  async close(): Promise<void> {
    const agents = await Promise.all(this.#agents.values());
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  /**
   * Returns the version that an object has now. `settled`: wait until it has not changed for two seconds.
   * Default of `attempts`: as for a waiting caller. Throws ObjectFault.
   */
  async look(
    access: ObjectAccess,
    settled: boolean,
    signal: AbortSignal,
    attempts = MAX_LOOKS,
  ): Promise<ObjectVersion> {
    return this.#retried({ attempts, troubles: ["UNAVAILABLE"], signal }, async () => {
      const { version, date } = await this.#look(access, signal);
      if (version.etag === "" && version.modifiedMs === undefined)
        throw new ObjectFault(
          "UNSUITABLE",
          "its server sends neither an ETag nor Last-Modified, so a change could not be noticed",
        );
      const ageMs = date - (version.modifiedMs ?? 0);
      if (!settled || ageMs >= SETTLED_MS) return version;
      await pause(SETTLED_MS, signal);
      throw new ObjectFault("UNAVAILABLE", "it was changed just now");
    });
  }

  /** Returns a page of a bucket's list. Throws ObjectFault. */
  async list({ url, reach, privateNetwork }: ObjectAccess, signal: AbortSignal): Promise<ObjectList> {
    return this.#retried({ attempts: MAX_LOOKS, troubles: ["UNAVAILABLE"], signal }, async () => {
      const agent = await this.#agent(privateNetwork);
      const headers = { "accept-encoding": "identity" };
      const { statusCode, headers: sent, body } = await guardedGet(url, { agent, reach, headers, signal });
      try {
        refuseStatus(statusCode, sent);
        return await parseObjectList(await shortText(body, MAX_LIST_BYTES));
      } finally {
        body.on("error", () => {}).destroy();
      }
    });
  }

  /**
   * Sends a request whose response is short, up to three times while the storage does not respond or has a fault of its
   * own. Throws ObjectFault.
   */
  async send(
    { url, reach, privateNetwork }: ObjectAccess,
    { method, headers = {}, body }: ShortRequest,
    signal: AbortSignal,
  ): Promise<ShortResponse> {
    return this.#retried({ attempts: MAX_LOOKS, troubles: ["UNAVAILABLE"], signal }, async () => {
      const agent = await this.#agent(privateNetwork);
      const response = await guardedSend(url, { agent, reach, method, headers, body, signal });
      const { statusCode: status, headers: sent } = response;
      try {
        const text = await shortText(response.body, MAX_LIST_BYTES);
        if (status >= 500 || status === 429) throw otherStatus(status, sent);
        return { status, headers: sent, text };
      } finally {
        response.body.on("error", () => {}).destroy();
      }
    });
  }

  /** Returns a range of an object of `size` bytes, regardless of its version. Throws ObjectFault. */
  async bytes(access: ObjectAccess, range: ByteRange, size: number, signal: AbortSignal): Promise<Buffer> {
    return this.#retried({ attempts: MAX_LOOKS, troubles: ["UNAVAILABLE"], signal }, async () => {
      const { body, ...response } = await this.#get(access, range, signal, {});
      try {
        if (versionIn(response, range).size !== size) throw new ObjectFault("CHANGED", "it has another size");
        return await wholeOf(body, range.last - range.first + 1);
      } finally {
        body.on("error", () => {}).destroy();
      }
    });
  }

  /** Throws ObjectFault if the current version of an object is another one. */
  async verify(read: Omit<RangeRead, "range" | "write">): Promise<void> {
    const range = { first: 0, last: 0 };
    await this.read({ ...read, range, write: async () => {} });
  }

  /** Reads a range to its end, and continues where a connection was cut. Throws ObjectFault, or what `write` throws. */
  async read(read: RangeRead): Promise<void> {
    let { first } = read.range;
    const { last } = read.range;
    const retries = {
      attempts: MAX_ATTEMPTS,
      troubles: ["UNAVAILABLE", "UNSUITABLE", "DENIED"],
      signal: read.signal,
    } as const;
    await this.#retried(retries, async (progress) => {
      for await (const chunk of this.#chunks(read, { first, last })) {
        await read.write(chunk, first).catch((cause: unknown) => {
          throw new WriteError(cause);
        });
        first += chunk.length;
        progress();
      }
    });
  }

  async *#chunks({ access, version, signal, onDenied }: RangeRead, range: ByteRange): AsyncGenerator<Buffer> {
    const { body, ...response } = await this.#get(access(), range, signal, conditionOf(version));
    try {
      const found = versionIn(response, range);
      if (!isSame(found, version)) throw new ObjectFault("CHANGED", "it was replaced");
      let left = range.last - range.first + 1;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        left -= chunk.length;
        if (left < 0) throw new ObjectFault("UNAVAILABLE", "its storage sends more bytes than it announced");
        yield chunk;
      }
      if (left > 0) throw new ObjectFault("UNAVAILABLE", "its storage closed the connection early");
    } catch (error) {
      if (error instanceof ObjectFault && error.trouble === "DENIED") onDenied?.();
      throw error;
    } finally {
      body.on("error", () => {}).destroy();
    }
  }

  async #look(access: ObjectAccess, signal: AbortSignal) {
    const range = { first: 0, last: 0 };
    const { body, ...response } = await this.#get(access, range, signal, {});
    body.on("error", () => {}).destroy();
    const date = Date.parse(String(response.headers["date"]));
    return { version: versionIn(response, range), date: Number.isNaN(date) ? Date.now() : date };
  }

  async #get(
    { url, reach, privateNetwork }: ObjectAccess,
    { first, last }: ByteRange,
    signal: AbortSignal,
    condition: Readonly<Record<string, string>>,
  ) {
    const agent = await this.#agent(privateNetwork);
    const headers = { range: `bytes=${first}-${last}`, "accept-encoding": "identity", ...condition };
    return guardedGet(url, { agent, reach, headers, signal });
  }

  #agent(privateNetwork: boolean): Promise<Agent> {
    const opening = this.#agents.get(privateNetwork) ?? guardedAgent(privateNetwork, this.#resolve);
    this.#agents.set(privateNetwork, opening);
    return opening;
  }

  /** Retries `attempt`, which calls `progress` when it made some. Only attempts without progress count. */
  async #retried<T>(
    { attempts, troubles, signal }: Retries,
    attempt: (progress: () => void) => Promise<T>,
  ): Promise<T> {
    const backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    let left = attempts;
    const progress = () => {
      left = attempts;
      backOff.reset();
    };
    for (;;) {
      try {
        return await attempt(progress);
      } catch (thrown) {
        if (thrown instanceof WriteError) throw thrown.cause;
        signal.throwIfAborted();
        const fault = faultOf(thrown);
        left--;
        if (left <= 0 || !troubles.includes(fault.trouble)) throw fault;
        const asked = Math.min(fault.retryAfterMs ?? 0, LONGEST_ASKED_MS);
        await pause(Math.max(backOff.next(), asked), signal);
        signal.throwIfAborted();
      }
    }
  }
}

/** Throws ObjectFault unless a response has this many bytes. */
async function wholeOf(body: AsyncIterable<Buffer>, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > length)
      throw new ObjectFault("UNAVAILABLE", "its storage sends more bytes than it announced");
    chunks.push(chunk);
  }
  if (bytes < length) throw new ObjectFault("UNAVAILABLE", "its storage closed the connection early");
  return Buffer.concat(chunks);
}

export interface ShortRequest {
  readonly method: Method;
  /** The headers that the URL is signed for. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Retries {
  /** Maximum number of attempts without progress. */
  readonly attempts: number;
  /** Faults after which another attempt is made. */
  readonly troubles: readonly ObjectTrouble[];
  readonly signal: AbortSignal;
}

/** The bytes could not be written, so reading them again would not help. */
class WriteError extends Error {
  constructor(cause: unknown) {
    super("failed to write", { cause });
  }
}

/** Returns the condition under which the storage sends the object: it is this version. */
function conditionOf({ etag, modifiedMs }: ObjectVersion): Readonly<Record<string, string>> {
  if (isStrong(etag)) return { "if-match": etag };
  return modifiedMs === undefined ? {} : { "if-unmodified-since": new Date(modifiedMs).toUTCString() };
}

function faultOf(thrown: unknown): ObjectFault {
  if (thrown instanceof ObjectFault) return thrown;
  const refusal = refusalIn(thrown);
  if (refusal !== undefined) return new ObjectFault("REFUSED", refusal.message, { cause: thrown });
  return new ObjectFault("UNAVAILABLE", "its storage cannot be reached, or closes the connection", {
    cause: thrown,
  });
}

function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof AggregateError) return error.errors.map(refusalIn).find((one) => one !== undefined);
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}
