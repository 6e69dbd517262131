/** Assembles the segments of a rendition into one file, with every coded frame as it is. */
import { type FileHandle, open } from "node:fs/promises";
import { inOrder } from "../platform/concurrency/in-order.ts";
import { Failure } from "../platform/failure.ts";
import { boxesIn, Malformed } from "./boxes.ts";
import { areAlike, areEncrypted, move, periodsOf, type Tracks, tracksOf } from "./fragments.ts";
import { type OpenTitleFile, openFile, unreadable } from "./open-file.ts";
import {
  encryptedFault,
  type FilePart,
  manifestFault,
  type Rendition,
  type TitleSegment,
  withoutSegments,
} from "./title.ts";
import { TransportMover } from "./transport.ts";

type Container = "mp4" | "ts" | "webm";

/** Limit of a segment in bytes: each is read into memory. */
const MAX_SEGMENT_BYTES = 2 ** 30;

export interface Assembling {
  readonly manifest: string;
  /** Path of the new file, without the extension. */
  readonly target: string;
  readonly signal: AbortSignal;
  /** Opens files of the title; default: any file of this machine. */
  readonly open?: OpenTitleFile;
  /** Segments that are read at a time; default: 1. */
  readonly atOnce?: number;
}

/**
 * Returns the file of a rendition: the existing one, if a single file is the whole rendition, or a new one
 * with all of its segments. Throws Failure, for example MANIFEST_UNSUPPORTED if its segments cannot be joined
 * exactly.
 */
export async function assemble(rendition: Rendition, assembling: Assembling): Promise<string> {
  const { manifest, target, signal, open: openPart = openFile, atOnce = 1 } = assembling;
  const whole = await wholeFile(rendition, openPart);
  if (whole !== undefined) return whole;
  const [first] = rendition.segments;
  if (first === undefined) throw withoutSegments(manifest, rendition.name);
  const container = containerOf(await readPart(openPart, first.init ?? first, 16));
  const fault = (detail: string) =>
    manifestFault("MANIFEST_UNSUPPORTED", manifest, `names segments of ${rendition.name} that ${detail}`);
  if (container === undefined) throw fault("are not MP4, MPEG-TS or WebM.");
  if (container === "webm" && rendition.segments.some(({ isDiscontinuous }) => isDiscontinuous))
    throw fault("are WebM with discontinuities, which cannot be joined. Score the parts one by one.");
  if (container === "mp4" && rendition.segments.some(({ init }) => init === undefined))
    throw fault("are MP4 without an init segment.");
  const file = `${target}.${container}`;
  await using output = await open(file, "wx");
  const encrypted = () => encryptedFault(manifest, `${rendition.name} is encrypted`);
  const joiner = new Joiner(output, container, openPart, { fault, encrypted });
  const read = (segment: TitleSegment) => readPart(openPart, segment);
  for await (const [segment, bytes] of inOrder(rendition.segments, atOnce, read)) {
    signal.throwIfAborted();
    await joiner.add(segment, bytes);
  }
  return file;
}

/** Returns the file that consists of exactly these segments; undefined if there is none. */
export async function wholeFile(
  { segments }: Rendition,
  openPart: OpenTitleFile,
): Promise<string | undefined> {
  const [first] = segments;
  if (first === undefined) return undefined;
  const { file, init, range } = first;
  if (init === undefined && range === undefined && segments.length === 1) return file;
  if (init !== undefined && (init.file !== file || (init.range?.first ?? -1) !== 0)) return undefined;
  let next = init === undefined ? 0 : first.range?.first;
  for (const segment of segments) {
    const isNext = segment.file === file && segment.range?.first === next && !segment.isDiscontinuous;
    if (!isNext || segment.range === undefined) return undefined;
    next = segment.range.first + segment.range.length;
  }
  const { size } = await sizeOf(file, openPart);
  return size === next ? file : undefined;
}

async function sizeOf(file: string, openPart: OpenTitleFile): Promise<{ readonly size: number }> {
  try {
    await using handle = await openPart(file);
    return await handle.stat();
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Writes segments one after the other. */
class Joiner {
  readonly #output: FileHandle;
  readonly #container: Container;
  readonly #open: OpenTitleFile;
  readonly #fault: (detail: string) => Failure;
  readonly #encrypted: () => Failure;
  readonly #transport = new TransportMover();
  #init: FilePart | undefined;
  #tracks: Tracks | undefined;
  /** Offsets that are added to the times of each track since the last discontinuity. */
  #offsets = new Map<number, bigint>();
  /** The time at which the last segment ended, after adding the offset, by track. */
  #ends = new Map<number, bigint>();

  constructor(
    output: FileHandle,
    container: Container,
    openPart: OpenTitleFile,
    { fault, encrypted }: { fault: (detail: string) => Failure; encrypted: () => Failure },
  ) {
    this.#output = output;
    this.#container = container;
    this.#open = openPart;
    this.#fault = fault;
    this.#encrypted = encrypted;
  }

  async add(segment: TitleSegment, bytes: Buffer): Promise<void> {
    const { init } = segment;
    if (init !== undefined && !isSamePart(init, this.#init)) {
      await this.#addInit(await readPart(this.#open, init));
      this.#init = init;
    }
    try {
      if (this.#container === "ts") this.#transport.move(bytes, segment.isDiscontinuous);
      if (this.#tracks === undefined) await this.#output.write(bytes);
      else await this.#addFragments(bytes, segment.isDiscontinuous, this.#tracks);
    } catch (error) {
      if (error instanceof Malformed)
        throw this.#fault(`are damaged: in ${JSON.stringify(segment.file)}, ${error.message}.`);
      throw error;
    }
  }

  /**
   * Writes the first init segment. A later one is left out if the codecs' parameters are the same, because a
   * file can have only one.
   */
  async #addInit(bytes: Buffer): Promise<void> {
    if (this.#container !== "mp4") {
      if (this.#init === undefined) await this.#output.write(bytes);
      return;
    }
    const tracks = this.#read(bytes);
    if (areEncrypted(tracks)) throw this.#encrypted();
    if (this.#tracks === undefined) {
      this.#tracks = tracks;
      await this.#output.write(bytes);
    } else if (!areAlike(this.#tracks, tracks)) {
      throw this.#fault(
        "have different codec parameters, so that no single MP4 can hold them. Score the parts between the discontinuities one by one.",
      );
    }
  }

  #read(init: Buffer): Tracks {
    try {
      return tracksOf(init);
    } catch (error) {
      if (error instanceof Malformed) throw this.#fault(`have a damaged init segment: ${error.message}.`);
      throw error;
    }
  }

  async #addFragments(bytes: Buffer, isDiscontinuous: boolean, tracks: Tracks): Promise<void> {
    const periods = periodsOf(bytes, tracks);
    if (isDiscontinuous) {
      this.#offsets = new Map(
        [...periods].map(([id, { first }]) => [id, (this.#ends.get(id) ?? first) - first]),
      );
    }
    if (this.#offsets.size > 0) move(bytes, this.#offsets);
    for (const [id, { end }] of periods) this.#ends.set(id, end + (this.#offsets.get(id) ?? 0n));
    // Removes the index of the segment, which would be mistaken for an index of the file.
    for (const { type, start, end } of boxesIn(bytes))
      if (type !== "sidx") await this.#output.write(bytes.subarray(start, end));
  }
}

function isSamePart(one: FilePart, other: FilePart | undefined): boolean {
  return (
    one.file === other?.file &&
    one.range?.first === other.range?.first &&
    one.range?.length === other.range?.length
  );
}

/** Returns the container that begins with these bytes. */
function containerOf(start: Buffer): Container | undefined {
  if (start.length < 8) return undefined;
  if (start[0] === 0x47) return "ts";
  if (start.readUInt32BE(0) === 0x1a45dfa3) return "webm";
  return ["ftyp", "styp", "moov", "moof", "sidx"].includes(start.toString("latin1", 4, 8))
    ? "mp4"
    : undefined;
}

/** Reads a part of a file, or only its first bytes. Throws MEDIA_TRUNCATED if the file ends within it. */
async function readPart(openPart: OpenTitleFile, { file, range }: FilePart, most?: number): Promise<Buffer> {
  try {
    await using handle = await openPart(file);
    const { size } = await handle.stat();
    const { first, length } = range ?? { first: 0, length: size };
    const wanted = Math.min(length, most ?? length);
    if (wanted > MAX_SEGMENT_BYTES)
      throw new Failure(
        "MEDIA_TOO_LARGE",
        `A segment in ${JSON.stringify(file)} has ${wanted} bytes; the most are ${MAX_SEGMENT_BYTES}.`,
      );
    const bytes = Buffer.alloc(wanted);
    const { bytesRead } = await handle.read(bytes, 0, wanted, first);
    if (bytesRead === wanted && wanted > 0) return bytes;
    const detail = `The file ${JSON.stringify(file)} of the title has ${size} bytes, but its manifest names ${length} from ${first} on.`;
    throw new Failure("MEDIA_TRUNCATED", detail);
  } catch (error) {
    throw unreadable(file, error);
  }
}
