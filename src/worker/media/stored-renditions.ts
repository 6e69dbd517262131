/**
 * Renditions of titles in storages, as the videos of tasks: their segments are fetched and joined to files,
 * which are kept for further tasks.
 */
import { hash } from "node:crypto";
import { open } from "node:fs/promises";
import { extname } from "node:path";
import type { Side } from "../../engine/contract/request.ts";
import type { RemoteVideo } from "../../engine/contract/work.ts";
import { remoteName } from "../../jobs/media/names.ts";
import { titleFolder } from "../../jobs/media/title-objects.ts";
import type { RenditionName } from "../../jobs/media/titles.ts";
import { objectIdentity } from "../../media/objects/object.ts";
import type { ObjectReader } from "../../media/objects/reader.ts";
import { inOrder } from "../../platform/concurrency/in-order.ts";
import { invalid } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import { assemble, wholeFile } from "../../titles/assemble.ts";
import { segmentStarts } from "../../titles/segment-starts.ts";
import type { Rendition } from "../../titles/title.ts";
import type { TitleReader } from "../../titles/title-reader.ts";
import type { NodeMetrics } from "../metrics.ts";
import type { JoinedFiles } from "./joined-files.ts";
import type { LeasedMedia } from "./leased-media.ts";
import { ReadRendition, readRenditions } from "./read-renditions.ts";
import { bytesOf, filesOf, renditionOf, timeFor, videoNameOf } from "./rendition.ts";
import { type Sign, SignedUrls } from "./signed-urls.ts";
import { StoredTitle } from "./stored-title.ts";

/** Limits of the segments that are fetched at a time: their bytes and their number. */
const BYTES_AT_ONCE = 64 * 2 ** 20;
const SEGMENTS_AT_ONCE = 8;
/** Bytes of the parts in which a rendition of a single file is fetched. */
const PART_BYTES = 16 * 2 ** 20;

export interface StoredRenditionsOptions {
  readonly titles: TitleReader;
  readonly joined: JoinedFiles;
  readonly reader: ObjectReader;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

/** The task that needs a title. */
export interface TitleNeed {
  readonly jobId: string;
  readonly tenant: string;
  readonly media: LeasedMedia;
  readonly side: Side;
  /** The plan of the pair whose segment is scored; undefined: another task. */
  readonly plan: string | undefined;
  readonly sign: Sign;
}

/** A rendition, with the versions of its objects when it was read. */
interface Found {
  readonly name: RenditionName;
  readonly rendition: Rendition;
  readonly title: StoredTitle;
  /** Bytes of its objects that are fetched so far. */
  readonly fetched: () => number;
  /** The rendition as an earlier task of the same plan read it. */
  readonly known: ReadRendition | undefined;
}

export class StoredRenditions {
  readonly #options: StoredRenditionsOptions;
  readonly #urls = new SignedUrls();
  readonly #read = readRenditions();

  constructor(options: StoredRenditionsOptions) {
    this.#options = options;
  }

  /** Returns the names of the renditions of a title. Throws Failure. */
  async list(need: TitleNeed, manifest: string, signal: AbortSignal): Promise<readonly string[]> {
    const { title, folder } = this.#titleOf(need, manifest, signal);
    return (await this.#options.titles.read(folder, title.open)).names;
  }

  /** Throws Failure. */
  async open(need: TitleNeed, name: RenditionName, signal: AbortSignal): Promise<RemoteVideo> {
    const found = await this.#find(need, name, signal);
    const file = await this.#options.joined.open({
      key: hash("sha256", JSON.stringify([keyOf(need, name.manifest), name, textOf(found)]), "hex"),
      bytes: totalOf(found),
      signal,
      join: (target) => this.#join(need, found, target, signal),
    });
    // Records the fetch as complete even if another task made it.
    need.media.fetching(need.side, totalOf(found), () => totalOf(found));
    try {
      const { places } = found.title;
      const text = textOf(found);
      const { size } = await file.handle.stat();
      return {
        handle: file.handle,
        path: file.path,
        fileName: videoNameOf(places.manifest, name.rendition, file.path),
        size,
        modifiedMs: timeFor(text),
        identity: `title ${hash("sha256", `${name.rendition}\n${text}`, "hex")}`,
        segmentStarts: segmentStarts(found.rendition),
        verifyUnchanged: () => this.#verify(need, found),
        [Symbol.asyncDispose]: async () => file[Symbol.asyncDispose](),
      };
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** `fetched`: the bytes of its objects that are fetched so far. */
  #titleOf(need: TitleNeed, manifest: string, signal: AbortSignal, known?: ReadRendition) {
    const remote = remoteName(manifest);
    const folder = remote === undefined || remote.kind === "fault" ? undefined : titleFolder(remote);
    if (folder === undefined) throw invalid(`The task has no title ${JSON.stringify(manifest)}.`);
    const { metrics, reader } = this.#options;
    let fetched = 0;
    const onFetched = (bytes: number) => {
      fetched += bytes;
      metrics.mediaFetched.inc(bytes);
    };
    const key = keyOf(need, manifest);
    const options = { ...need, key, folder, urls: this.#urls, reader, onFetched, signal };
    const title = new StoredTitle({ ...options, known: known?.versions });
    return { title, folder, fetched: () => fetched };
  }

  async #find(need: TitleNeed, name: RenditionName, signal: AbortSignal): Promise<Found> {
    const key = planKeyOf(need, name);
    const known = key === undefined ? undefined : this.#read.get(key);
    const { title, folder, fetched } = this.#titleOf(need, name.manifest, signal, known);
    if (known !== undefined) return { name, rendition: known.rendition, title, fetched, known };
    const read = await this.#options.titles.read(folder, title.open, name.rendition);
    const rendition = renditionOf(name, read);
    await title.look(filesOf(rendition));
    return { name, rendition, title, fetched, known };
  }

  /**
   * Verifies objects: all in the first task of a plan on this node, some of them in each later one. Throws
   * MEDIA_CHANGED.
   */
  async #verify(need: TitleNeed, { name, rendition, title, known }: Found): Promise<void> {
    const key = planKeyOf(need, name);
    try {
      await title.verify(known?.turn());
    } catch (error) {
      if (key !== undefined) this.#read.delete(key);
      throw error;
    }
    if (key !== undefined && known === undefined)
      this.#read.set(key, new ReadRendition({ rendition, versions: title.versions }));
  }

  /** Fetches the segments and joins them to a file. Returns its path. */
  async #join(
    { jobId, media, side }: TitleNeed,
    found: Found,
    target: string,
    signal: AbortSignal,
  ): Promise<string> {
    const started = performance.now();
    const before = found.fetched();
    const bytes = () => found.fetched() - before;
    media.fetching(side, totalOf(found), bytes);
    const path = await joinTo(found, target, signal);
    const durationMs = Math.round(performance.now() - started);
    this.#options.log.info({ jobId, side, bytes: bytes(), durationMs }, "fetched a rendition");
    return path;
  }
}

async function joinTo(
  { name, rendition, title }: Found,
  target: string,
  signal: AbortSignal,
): Promise<string> {
  const whole = await wholeFile(rendition, title.open);
  if (whole !== undefined) return copyOf(title, whole, `${target}${extname(whole)}`, signal);
  const largest = rendition.segments.reduce(
    (most, { file, range }) => Math.max(most, range?.length ?? sizeIn(title, file)),
    1,
  );
  const atOnce = Math.max(1, Math.min(SEGMENTS_AT_ONCE, Math.floor(BYTES_AT_ONCE / largest)));
  return assemble(rendition, { manifest: name.manifest, target, signal, open: title.open, atOnce });
}

/** Fetches a file. Returns the path of the copy. */
async function copyOf(title: StoredTitle, file: string, path: string, signal: AbortSignal): Promise<string> {
  const size = sizeIn(title, file);
  await using object = await title.open(file);
  await using target = await open(path, "wx", 0o600);
  const positions = Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, index) => index * PART_BYTES);
  const read = async (position: number) => {
    const bytes = Buffer.alloc(Math.min(PART_BYTES, size - position));
    await object.read(bytes, 0, bytes.length, position);
    return bytes;
  };
  for await (const [, bytes] of inOrder(positions, BYTES_AT_ONCE / PART_BYTES, read)) {
    signal.throwIfAborted();
    await target.write(bytes);
  }
  return path;
}

/** Identifies a manifest of a tenant and its place. */
function keyOf({ tenant, media, side }: TitleNeed, manifest: string): string {
  return JSON.stringify([tenant, manifest, media.place(side)]);
}

/**
 * Identifies a rendition in a plan, which has the versions of all objects; undefined if the task has no plan.
 */
function planKeyOf(need: TitleNeed, name: RenditionName): string | undefined {
  if (need.plan === undefined) return undefined;
  return hash("sha256", JSON.stringify([keyOf(need, name.manifest), name, need.plan]), "hex");
}

function sizeIn({ versions }: StoredTitle, file: string): number {
  return versions.get(file)?.size ?? 0;
}

function totalOf({ rendition, title }: Found): number {
  return bytesOf(rendition, (file) => sizeIn(title, file));
}

/** Returns a text of the versions of all objects. */
function textOf({ title: { versions } }: Found): string {
  const lines = [...versions].map(([file, version]) => `${JSON.stringify(file)} ${objectIdentity(version)}`);
  // Sorted, because the objects were looked up in any order.
  return lines.sort().join("\n");
}
