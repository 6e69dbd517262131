/** Sends files one after the other and shows the progress. */
import type { Connection } from "../../client/connection/connection.ts";
import type { Upload } from "../../gen/proto/svc/v1/upload_pb.ts";
import { sizeText } from "../../jobs/quantities.ts";
import { barLine, percentText } from "../terminal/bar.ts";
import { printable } from "../terminal/escape.ts";
import { LiveBlock } from "../terminal/live.ts";
import { clock } from "../terminal/numbers.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { LocalFile } from "./local-file.ts";
import { sendFile } from "./send.ts";

/** Milliseconds between redrawn lines. */
const REDRAW_MS = 100;

/**
 * Returns the upload of each path. Checks all files before it sends the first one. `quiet`: shows nothing. Throws as
 * sendFile does.
 */
export async function sendAll(
  connection: Connection,
  paths: readonly string[],
  { quiet, signal }: { readonly quiet: boolean; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, Upload>> {
  const distinct = [...new Set(paths)];
  for (const path of distinct) await (await LocalFile.open(path))[Symbol.asyncDispose]();
  const sent = new Map<string, Upload>();
  for (const [index, path] of distinct.entries()) {
    const number = distinct.length > 1 ? `${index + 1}/${distinct.length} ` : "";
    const line = new UploadLine(`${number}${printable(path)}`, quiet);
    try {
      sent.set(path, await sendFile(path, { connection, signal, onProgress: (...at) => line.update(...at) }));
      line.end();
    } finally {
      line.clear();
    }
  }
  return sent;
}

/** The progress of the uploads: on a terminal a redrawn bar, and one line for each completed file. */
class UploadLine {
  readonly #name: string;
  readonly #quiet: boolean;
  readonly #block = new LiveBlock(process.stderr);
  readonly #begunAt = performance.now();
  #first: number | undefined;
  #size = 0;
  #drawnAt = 0;

  constructor(name: string, quiet: boolean) {
    this.#name = name;
    this.#quiet = quiet;
  }

  update(bytes: number, size: number): void {
    this.#first ??= bytes;
    this.#size = size;
    const terminal = detectTerminal(process.stderr, process.env);
    if (this.#quiet || !terminal.live || performance.now() - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = performance.now();
    const share = bytes / size;
    const speed = ((bytes - this.#first) / (this.#drawnAt - this.#begunAt)) * 1000;
    const [percent, done] = [percentText(share), `${sizeText(bytes)} of ${sizeText(size)}`];
    const left = speed > 0 ? `${clock(Math.ceil((size - bytes) / speed))} left` : "";
    const name = this.#name.slice(-Math.max(10, terminal.columns - 70));
    const texts = [[percent, name, done, left], [percent, done, left], [percent, left], [percent]];
    this.#block.draw([
      barLine(
        share,
        texts.map((parts) => parts.filter((part) => part !== "").join("  ")),
        terminal,
      ),
    ]);
  }

  end(): void {
    this.clear();
    if (this.#quiet) return;
    const sent = this.#size - (this.#first ?? this.#size);
    const what =
      sent === 0 ? "was uploaded before" : sent === this.#size ? "uploaded" : "upload resumed and completed";
    process.stderr.write(`${this.#name}: ${what} (${sizeText(this.#size)})\n`);
  }

  clear(): void {
    this.#block.clear();
  }
}
