/**
 * The thread that parses manifests for a process whose main thread must not be blocked. The main thread reads
 * the files.
 */
import { parentPort } from "node:worker_threads";
import type { TitleFolder } from "../jobs/media/title-objects.ts";
import { Failure } from "../platform/failure.ts";
import type { TitleFile } from "./open-file.ts";
import { ObjectPlaces } from "./places.ts";
import { readTitle } from "./read-title.ts";
import type { Rendition, TitleSegment } from "./title.ts";

/** Segments in one message: receiving 100,000 at once would block the main thread for a third of a second. */
const SEGMENTS_AT_ONCE = 2_000;

/** Requests a title, delivers a requested file, or requests more segments. */
export type ToReadingThread =
  | {
      readonly id: number;
      /** Path of the manifest, or where it is in a storage. */
      readonly title: string | TitleFolder;
      /** The rendition whose segments are wanted. */
      readonly wanted: string | undefined;
    }
  | {
      readonly file: number;
      readonly size: number;
      /** undefined if the file is too large or cannot be read. */
      readonly bytes: Uint8Array | undefined;
    }
  | { readonly more: number };

/**
 * Requests a file, reports how reading ended, or delivers the next segments of the rendition; no segments
 * mean the end.
 */
export type FromReadingThread =
  | { readonly id: number; readonly file: number; readonly path: string }
  | {
      readonly id: number;
      readonly names: readonly string[];
      readonly rendition: Omit<Rendition, "segments"> | undefined;
    }
  | { readonly id: number; readonly segments: readonly TitleSegment[] }
  | { readonly id: number; readonly failure: ReadingFailure };

/** `stack`: the stack of an error that is not a Failure. */
interface ReadingFailure extends Pick<Failure, "code" | "message"> {
  readonly stack: string | undefined;
}

class Reading {
  readonly #send: (message: FromReadingThread) => void;
  /** The segments that were not sent yet, by title. */
  readonly #left = new Map<number, readonly TitleSegment[]>();
  readonly #files = new Map<number, (file: TitleFile) => void>();
  #asked = 0;

  constructor(send: (message: FromReadingThread) => void) {
    this.#send = send;
  }

  receive(message: ToReadingThread): void {
    if ("id" in message) {
      void this.#read(message).then((answer) => this.#send(answer));
      return;
    }
    if ("more" in message) {
      this.#sendSegments(message.more);
      return;
    }
    const { file, size, bytes } = message;
    this.#files.get(file)?.({
      stat: async () => ({ size }),
      read: async (buffer) => ({ bytesRead: bytes === undefined ? 0 : Buffer.from(bytes).copy(buffer) }),
      [Symbol.asyncDispose]: async () => {},
    });
    this.#files.delete(file);
  }

  async #read({ id, title, wanted }: Extract<ToReadingThread, { id: number }>): Promise<FromReadingThread> {
    const places = typeof title === "string" ? title : new ObjectPlaces(title);
    const open = (path: string) =>
      new Promise<TitleFile>((resolve) => {
        const file = ++this.#asked;
        this.#files.set(file, resolve);
        this.#send({ id, file, path });
      });
    try {
      const renditions = await readTitle(places, open);
      const names = renditions.map(({ name }) => name);
      const rendition = renditions.find(({ name }) => name === wanted);
      if (rendition === undefined) return { id, names, rendition };
      const { name, isCut, segments } = rendition;
      this.#left.set(id, segments);
      return { id, names, rendition: { name, isCut } };
    } catch (error) {
      const { code, message } = Failure.from(error);
      const stack = error instanceof Error && !(error instanceof Failure) ? error.stack : undefined;
      return { id, failure: { code, message, stack } };
    }
  }

  #sendSegments(id: number): void {
    const left = this.#left.get(id) ?? [];
    if (left.length === 0) this.#left.delete(id);
    else this.#left.set(id, left.slice(SEGMENTS_AT_ONCE));
    this.#send({ id, segments: left.slice(0, SEGMENTS_AT_ONCE) });
  }
}

const port = parentPort;
if (port !== null) {
  const reading = new Reading((message) => port.postMessage(message));
  port.on("message", (message: ToReadingThread) => reading.receive(message));
}
