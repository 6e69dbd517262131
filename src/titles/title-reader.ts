/**
 * Reads titles in a separate thread: parsing a manifest of 100,000 segments takes a second, in which a node
 * could not send a heartbeat. The files are opened and read in this thread.
 */
import { Worker } from "node:worker_threads";
import type { TitleFolder } from "../jobs/media/title-objects.ts";
import { Failure } from "../platform/failure.ts";
import { type OpenTitleFile, unreadable } from "./open-file.ts";
import { MAX_MANIFEST_BYTES } from "./read-title.ts";
import type { FromReadingThread, ToReadingThread } from "./reading-thread.ts";
import type { Rendition, TitleSegment } from "./title.ts";

/** Heap limit of the thread. A title of 500,000 segments, the maximum, takes some 270 MB. */
const HEAP_LIMIT = { maxOldGenerationSizeMb: 1024 };

export interface ReadTitle {
  readonly names: readonly string[];
  /** The requested rendition; undefined if the title does not have it. */
  readonly rendition: Rendition | undefined;
}

interface Waiting {
  readonly open: OpenTitleFile;
  readonly resolve: (title: ReadTitle) => void;
  readonly reject: (error: unknown) => void;
  /** What has been received so far. */
  title?: ReadTitle & { readonly rendition: Rendition & { readonly segments: TitleSegment[] } };
}

export class TitleReader {
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #last = 0;

  /**
   * Returns the renditions of a title. Throws the errors of readTitle and `open`.
   *
   * @param title path of the manifest, or where it is in a storage
   * @param wanted the rendition whose segments are needed
   */
  read(title: string | TitleFolder, open: OpenTitleFile, wanted?: string): Promise<ReadTitle> {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { open, resolve, reject });
      this.#send({ id, title, wanted });
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #send(message: ToReadingThread): void {
    this.#thread ??= this.#started();
    this.#thread.ref();
    send(this.#thread, message);
  }

  #started(): Worker {
    const thread = new Worker(new URL("./reading-thread.ts", import.meta.url), {
      resourceLimits: HEAP_LIMIT,
    });
    thread.on("message", (message: FromReadingThread) => void this.#receive(thread, message));
    thread.on("error", (cause) => this.#failed(thread, cause));
    thread.on("exit", () => this.#failed(thread, new Error("the thread ended")));
    return thread;
  }

  /** Fails all waiting reads after the thread has failed; the next title starts another thread. */
  #failed(thread: Worker, cause: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    for (const { reject } of this.#waiting.values())
      reject(new Failure("INTERNAL", "svc failed to read the title; see its log for details.", { cause }));
    this.#waiting.clear();
  }

  async #receive(thread: Worker, message: FromReadingThread): Promise<void> {
    const { id } = message;
    const reply = (answer: ToReadingThread) => send(thread, answer);
    if ("file" in message) {
      const { file, path } = message;
      reply({ file, ...(await this.#fileOf(id, path)) });
    } else if ("names" in message) {
      const { names, rendition } = message;
      const waiting = this.#waiting.get(id);
      if (rendition === undefined) this.#ended(thread, id)?.resolve({ names, rendition });
      else if (waiting !== undefined) waiting.title = { names, rendition: { ...rendition, segments: [] } };
      if (rendition !== undefined) reply({ more: id });
    } else if ("segments" in message) {
      const { title } = this.#waiting.get(id) ?? {};
      title?.rendition.segments.push(...message.segments);
      if (message.segments.length > 0) reply({ more: id });
      else if (title !== undefined) this.#ended(thread, id)?.resolve(title);
    } else {
      const { code, message: text, stack } = message.failure;
      const cause = stack === undefined ? {} : { cause: new Error(stack) };
      this.#ended(thread, id)?.reject(new Failure(code, text, cause));
    }
  }

  #ended(thread: Worker, id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // The thread alone must not keep the process alive.
    if (this.#waiting.size === 0) thread.unref();
    return waiting;
  }

  /** Returns a file for the thread. Never throws: an error ends the reading of the title. */
  async #fileOf(id: number, path: string): Promise<Omit<Extract<ToReadingThread, { file: number }>, "file">> {
    const waiting = this.#waiting.get(id);
    try {
      if (waiting === undefined) return { size: 0, bytes: undefined };
      await using file = await waiting.open(path);
      const { size } = await file.stat();
      if (size > MAX_MANIFEST_BYTES) return { size, bytes: undefined };
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await file.read(bytes, 0, size, 0);
      return { size, bytes: bytes.subarray(0, bytesRead) };
    } catch (error) {
      if (this.#thread !== undefined) this.#ended(this.#thread, id);
      waiting?.reject(unreadable(path, error));
      return { size: 0, bytes: undefined };
    }
  }
}

function send(thread: Worker, message: ToReadingThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.postMessage(message);
}
