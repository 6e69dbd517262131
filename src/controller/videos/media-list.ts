/** Lists what a tenant may name in its jobs: its media roots and storages, and the folders in them, page by page. */
import { createHash } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { listFolder } from "../../engine/files/folder.ts";
import type { Header, ListedVideo } from "../../engine/header.ts";
import {
  type ListMediaRequest,
  type ListMediaResponse,
  ListMediaResponseSchema,
  MediaEntry_Kind,
  type MediaEntrySchema,
  type MediaProbe,
  MediaProbeSchema,
} from "../../gen/proto/svc/v1/media_pb.ts";
import { type PrefixName, prefixName, remoteName } from "../../jobs/media/names.ts";
import {
  isReserved,
  type ObjectStorage,
  type Storage,
  type StoragesOf,
  storageOf,
} from "../../jobs/media/storages.ts";
import { listingFailure } from "../../media/objects/failures.ts";
import type { ObjectReader } from "../../media/objects/reader.ts";
import { findRemote, type Signer } from "../../media/storages/signer.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { MediaPolicy } from "../requests/media-policy.ts";
import { pageSizeOf, readTextToken, textToken } from "../requests/page-token.ts";
import { openHead } from "./object-head.ts";
import type { Probes } from "./probes.ts";

/** Milliseconds that a caller waits for a storage. */
const LIST_LIMIT_MS = 20_000;
const MAX_UNDER = 4096;
/** The end of the year 9999, the last time that messages can have. Files can have later ones. */
const LATEST_MS = 253_402_300_799_999;

const { FOLDER, FILE, WEB_SERVER } = MediaEntry_Kind;
type Entry = MessageInitShape<typeof MediaEntrySchema> & { readonly name: string };

export interface MediaListOptions {
  readonly media: MediaPolicy;
  readonly storagesOf: StoragesOf;
  readonly signer: Signer;
  readonly reader: ObjectReader;
  /** undefined: no headers are read. */
  readonly probes: Probes | undefined;
}

interface Asked {
  readonly tenant: string;
  readonly under: string;
  readonly size: number;
  /** End of the previous page. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

interface Listed {
  readonly entries: readonly Entry[];
  readonly next: string | undefined;
}

/**
 * Throws INVALID_REQUEST, PATH_NOT_ALLOWED, URL_NOT_ALLOWED, MEDIA_NOT_FOUND, and the failures of storages.
 */
export async function listMedia(
  options: MediaListOptions,
  tenant: string,
  { under, pageSize, pageToken, probe }: ListMediaRequest,
  signal: AbortSignal,
): Promise<ListMediaResponse> {
  const size = pageSizeOf(pageSize);
  if (under.length > MAX_UNDER || !under.isWellFormed() || under.includes("\0"))
    throw invalid(`under is longer than ${MAX_UNDER} characters or contains an invalid character.`);
  const list = createHash("sha256").update(`media ${under}`).digest("base64url").slice(0, 11);
  const asked = { tenant, under, size, after: readTextToken(pageToken, list), signal };
  const { entries, next } = await entriesUnder(options, asked);
  const nextPageToken = next === undefined ? "" : textToken(next, list);
  const { probes } = options;
  if (!probe || probes === undefined)
    return create(ListMediaResponseSchema, { entries: [...entries], nextPageToken });
  const videos = entries.filter(({ kind }) => kind === FILE).map((entry) => videoOf(options, tenant, entry));
  const headers = await probes.of(tenant, videos, signal);
  const probed = entries.map((entry) => ({ ...entry, ...probeOf(headers.get(entry.name)) }));
  return create(ListMediaResponseSchema, { entries: probed, nextPageToken, probed: true });
}

function videoOf(
  { media, storagesOf, signer, reader }: MediaListOptions,
  tenant: string,
  { name, size = 0 }: Entry,
): ListedVideo {
  const found = findRemote("listed", name, storagesOf(tenant));
  if (found === undefined) return { name, roots: media.rootsOf(tenant) };
  return { name, open: openHead(reader, signer, found, size) };
}

function probeOf(header: Header | undefined): { readonly probe?: MediaProbe } {
  if (header === undefined) return {};
  const { codec, width, height, duration, frameRate } = header;
  const probe = create(MediaProbeSchema, {
    ...{ codec, width, height },
    ...(duration !== undefined && { duration }),
    ...(frameRate !== undefined && { frameRate }),
  });
  return { probe };
}

function entriesUnder(options: MediaListOptions, asked: Asked): Promise<Listed> {
  if (asked.under === "") return startingFolders(options, asked);
  const name = prefixName(asked.under);
  if (name === undefined) return entriesOfFolder(options, asked);
  if (name.kind === "fault") throw invalid(`The folder ${name.text}`);
  return entriesOfBucket(options, asked, name);
}

async function startingFolders({ media, storagesOf }: MediaListOptions, asked: Asked): Promise<Listed> {
  const { tenant, size, after } = asked;
  const folders = media.begin ?? (await media.rootsOf(tenant).existing());
  const names = folders.map((path) => (path.endsWith("/") ? path : `${path}/`));
  const all = [...names.map((name) => ({ name, kind: FOLDER })), ...storagesOf(tenant).flatMap(entriesOf)];
  const distinct = [...new Map(all.map((entry) => [entry.name, entry])).values()];
  const sorted = distinct.sort((one, other) => (one.name < other.name ? -1 : 1));
  const left = sorted.filter(({ name }) => after === undefined || name > after);
  const entries = left.slice(0, size);
  return { entries, next: left.length > size ? entries.at(-1)?.name : undefined };
}

function entriesOf(storage: Storage): Entry[] {
  if (storage.kind === "https")
    return storage.hosts.map((host) => ({ name: `https://${host}/`, kind: WEB_SERVER }));
  return storage.buckets.map(({ bucket, prefix }) => ({ name: `s3://${bucket}/${prefix}`, kind: FOLDER }));
}

async function entriesOfFolder(
  { media }: MediaListOptions,
  { tenant, under, after, size }: Asked,
): Promise<Listed> {
  const { entries, next } = await listFolder(under, media.rootsOf(tenant), { after, size });
  return { next, entries: entries.map(({ path, file }) => entryOf(path, file)) };
}

async function entriesOfBucket(
  { storagesOf, signer, reader }: MediaListOptions,
  { tenant, under, size, after, signal }: Asked,
  { bucket, prefix }: PrefixName,
): Promise<Listed> {
  const storages = storagesOf(tenant);
  const storage = storages.find((one) => hasPrefix(one, bucket, prefix));
  if (storage?.kind !== "s3")
    throw new Failure(
      "URL_NOT_ALLOWED",
      `The folder ${JSON.stringify(under)} is not in one of your tenant's storages. Use one that is listed.`,
    );
  const access = await signer.listing(storage, { bucket, prefix, most: size, from: after });
  const signals = AbortSignal.any([signal, AbortSignal.timeout(LIST_LIMIT_MS)]);
  const found = await reader.list(access, signals).catch((error: unknown) => {
    if (signal.aborted || !signals.aborted) throw listingFailure(error, under);
    throw new Failure(
      "STORAGE_UNAVAILABLE",
      `The storage of ${JSON.stringify(under)} did not respond within ${LIST_LIMIT_MS / 1000} s. Try again later.`,
    );
  });
  const prefixes = found.prefixes.filter(
    (one) => isFolder(bucket, one, prefix) && !isReserved(storage, bucket, one),
  );
  const files = found.objects.filter(
    ({ key }) => key.startsWith(prefix) && isOf(storage, storages, bucket, key),
  );
  const entries = [
    ...prefixes.map((one) => entryOf(`s3://${bucket}/${one}`, undefined)),
    ...files.map((file) => entryOf(`s3://${bucket}/${file.key}`, file)),
  ];
  return { entries: entries.sort(byBytes), next: found.next };
}

function hasPrefix(storage: Storage, bucket: string, prefix: string): boolean {
  return (
    storage.kind === "s3" &&
    storage.buckets.some((one) => one.bucket === bucket && prefix.startsWith(one.prefix)) &&
    !isReserved(storage, bucket, prefix)
  );
}

/** Whether a prefix can be listed and is below the listed one: a storage may send anything. */
function isFolder(bucket: string, prefix: string, above: string): boolean {
  const isBelow = prefix.startsWith(above) && prefix.length > above.length && prefix.endsWith("/");
  return isBelow && prefixName(`s3://${bucket}/${prefix}`)?.kind === "prefix";
}

/** Whether a job can name the key, and its name refers to this storage. */
function isOf(storage: ObjectStorage, storages: readonly Storage[], bucket: string, key: string): boolean {
  const name = remoteName(`s3://${bucket}/${key}`);
  return name?.kind === "s3" && name.key === key && storageOf(storages, name) === storage;
}

function entryOf(
  name: string,
  file: { readonly size: number; readonly modifiedMs: number | undefined } | undefined,
): Entry {
  if (file === undefined) return { name, kind: FOLDER };
  const { size, modifiedMs } = file;
  return {
    ...{ name, kind: FILE, size },
    ...(modifiedMs !== undefined && modifiedMs <= LATEST_MS && { modifyTime: timestampFromMs(modifiedMs) }),
  };
}

function byBytes(one: Entry, other: Entry): number {
  return Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));
}
