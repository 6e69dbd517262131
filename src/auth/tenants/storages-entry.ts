/** Parses the storages of a tenant. */
import { isAbsolute } from "node:path";
import type { LimitRule } from "../../jobs/limits.ts";
import {
  type Bucket,
  type CredentialsFile,
  type CredentialsSecret,
  type ObjectStorage,
  type ResultsSettings,
  type Storage,
  storageOf,
  type WebStorage,
} from "../../jobs/media/storages.ts";
import { type EntryFault, Members } from "./members.ts";

/** Limit of the storages of a tenant, and of the buckets or hosts of a storage. */
const MOST = 100;
const REGION = /^[a-z0-9-]{1,64}$/;
const BUCKET = /^([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/(\P{Cc}{0,1024}))?$/u;
/** Matches a bucket, or a folder in it. Upload ids are found after such prefixes in the specs of jobs. */
const FOLDER = /^([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/((?:[A-Za-z0-9_=+@-][A-Za-z0-9._=+@-]*\/){0,20}))?$/;
const MAX_FOLDER_PREFIX = 500;
const KINDS = ["s3", "https"];
/** Members that describe an S3-compatible service, without those about its content. */
const SERVICE = ["endpoint", "region", "credentials", "privateNetwork"];
/** A name of an object in Kubernetes, a DNS subdomain. */
const SECRET_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_SECRET_NAME = 253;

const DAY_MS = 86_400_000;
/** Days from the end of a job until its per-frame scores are moved. */
const SCORES_AFTER: LimitRule = { min: 0, max: 36_500, canBeNone: false, fallback: 7 };

export type ResultsOutcome =
  | { readonly results: ResultsSettings; readonly faults?: never }
  | { readonly results?: never; readonly faults: readonly EntryFault[] };

/** Parses the settings of the results storage: an object with the member `s3`, of one bucket. Never throws. */
export function readResultsFile(value: unknown): ResultsOutcome {
  const faults: EntryFault[] = [];
  const file = Members.of(value, "", ["s3", "scoresAfterDays"], faults);
  const s3 = file?.section("s3", [...SERVICE, "bucket"]);
  if (file === undefined || s3 === undefined) return { faults };
  const days = file.has("scoresAfterDays")
    ? file.limit("scoresAfterDays", SCORES_AFTER)
    : SCORES_AFTER.fallback;
  const place = folderIn(s3, "bucket") ?? { bucket: "", prefix: "" };
  const storage: ObjectStorage = { kind: "s3", ...readService(s3, undefined), buckets: [place] };
  return faults.length > 0
    ? { faults }
    : { results: { place: { storage, ...place }, scoresAfterMs: days * DAY_MS } };
}

export type StoragesOutcome =
  | { readonly storages: readonly Storage[]; readonly faults?: never }
  | { readonly storages?: never; readonly faults: readonly EntryFault[] };

/** Parses an object whose only member is `storages`. Never throws: faults are in `faults`. */
export function readStoragesFile(value: unknown): StoragesOutcome {
  const faults: EntryFault[] = [];
  const file = Members.of(value, "", ["storages"], faults);
  const storages = file === undefined ? [] : readStorages(file);
  return faults.length > 0 ? { faults } : { storages };
}

/**
 * Reads the member `storages`; faults are recorded. `secretsOf`: the tenant whose credentials may be in Secrets;
 * undefined: there are no Secrets.
 */
export function readStorages(entry: Members, secretsOf?: string): readonly Storage[] {
  const sections = entry.sections("storages", KINDS, MOST);
  const storages: Storage[] = [];
  for (const section of sections) {
    const storage = section && readStorage(section, secretsOf);
    if (section === undefined || storage === undefined) continue;
    if (storage.kind === "s3") refuseUploads(section, storage, storages);
    storages.push(storage);
  }
  return storages;
}

/** Records a fault if uploads in this storage could not be read, or if an earlier storage takes uploads already. */
function refuseUploads(section: Members, storage: ObjectStorage, before: readonly Storage[]): void {
  const { uploads } = storage;
  if (uploads === undefined) return;
  const name = { kind: "s3", bucket: uploads.bucket, key: uploads.prefix, versionId: undefined } as const;
  if (storageOf([storage], name) === undefined)
    section.refuse("s3.uploads", "is outside its buckets. Use one of them, or a folder in one.");
  else if (storageOf(before, name) !== undefined)
    section.refuse(
      "s3.uploads",
      "is in an earlier storage too, which would be used to read. Put this storage first.",
    );
  if (before.some((one) => one.kind === "s3" && one.uploads !== undefined))
    section.refuse("s3.uploads", "is given for an earlier storage too. Leave it out of one of the two.");
}

function readStorage(section: Members, secretsOf: string | undefined): Storage | undefined {
  if (section.has("s3") === section.has("https")) {
    section.refuse("s3", "or https is needed, and not both.");
    return undefined;
  }
  const s3 = section.has("s3") ? section.section("s3", [...SERVICE, "buckets", "uploads"]) : undefined;
  if (s3 !== undefined) return readObjectStorage(s3, secretsOf);
  const web = section.has("https") ? section.section("https", ["hosts", "privateNetwork"]) : undefined;
  return web && readWebStorage(web);
}

function readObjectStorage(s3: Members, secretsOf: string | undefined): ObjectStorage {
  const service = readService(s3, secretsOf);
  const buckets = s3.texts("buckets", MOST, faultOfBucket).map(bucketIn);
  const uploads = s3.has("uploads") ? folderIn(s3, "uploads") : undefined;
  return { kind: "s3", ...service, buckets, ...(uploads && { uploads }) };
}

function readService(
  s3: Members,
  secretsOf: string | undefined,
): Pick<ObjectStorage, "endpoint" | "region" | "credentials" | "privateNetwork"> {
  const privateNetwork = s3.has("privateNetwork") && s3.flag("privateNetwork");
  const region = s3.text("region", REGION, "is missing or not a region, such as eu-central-1 or auto.");
  const endpoint = s3.has("endpoint")
    ? s3.url("endpoint", "Leave it out for AWS, or give the URL of the service")
    : undefined;
  if (endpoint) refuseEndpoint(s3, endpoint, privateNetwork);
  const given = s3.has("credentials")
    ? s3.section("credentials", ["file", "profile", "secretName"])
    : undefined;
  const credentials = given?.has("secretName")
    ? readSecret(given, secretsOf)
    : given && readCredentialsFile(given);
  return { endpoint, region, credentials, privateNetwork };
}

function refuseEndpoint(s3: Members, text: string, privateNetwork: boolean): void {
  const { protocol, pathname, search } = new URL(text);
  if (pathname !== "/" || search !== "") s3.refuse("endpoint", "has more than a scheme, a host and a port.");
  if (protocol === "http:" && !privateNetwork)
    s3.refuse(
      "endpoint",
      "is plain http. Use https, or set privateNetwork for a service in your own network.",
    );
}

function readSecret(given: Members, secretsOf: string | undefined): CredentialsSecret {
  const secretName = given.text("secretName", SECRET_NAME, "is not the name of a Secret.");
  if (secretName.length > MAX_SECRET_NAME)
    given.refuse("secretName", `has more than ${MAX_SECRET_NAME} characters.`);
  if (secretsOf === undefined)
    given.refuse("secretName", "is only for SvcTenants of a Kubernetes cluster. Give file, or neither.");
  for (const other of ["file", "profile"])
    if (given.has(other)) given.refuse(other, "cannot be given with secretName. Leave one of them out.");
  return { secretName, tenant: secretsOf ?? "" };
}

function readCredentialsFile(given: Members): CredentialsFile {
  const file = given.text("file", /^.{1,4096}$/s, "is missing. Give the path of a credentials file.");
  if (file !== "" && !isAbsolute(file)) given.refuse("file", "is not an absolute path.");
  const profile = given.has("profile")
    ? given.text("profile", /^[^\]\r\n]{1,128}$/, "is not the name of a profile.")
    : "default";
  return { file, profile };
}

function readWebStorage(web: Members): WebStorage {
  const privateNetwork = web.has("privateNetwork") && web.flag("privateNetwork");
  return { kind: "https", hosts: web.texts("hosts", MOST, faultOfHost), privateNetwork };
}

function faultOfBucket(text: string): string | undefined {
  const bucket = BUCKET.exec(text)?.[1];
  return bucket !== undefined && !bucket.includes("..")
    ? undefined
    : "is not a bucket, or a bucket and a prefix: BUCKET/PREFIX.";
}

function bucketIn(text: string): Bucket {
  const [, bucket = "", prefix = ""] = BUCKET.exec(text) ?? [];
  return { bucket, prefix };
}

/** A bucket, or a folder in one. */
function folderIn(s3: Members, name: string): Bucket | undefined {
  const what =
    "is not a bucket, or a bucket and a folder in it: BUCKET/FOLDER/, of letters, digits and . _ = + @ -";
  const text = s3.text(name, FOLDER, `${what}.`);
  if (text === "") return undefined;
  const [, bucket = "", prefix = ""] = FOLDER.exec(text) ?? [];
  if (faultOfBucket(bucket) !== undefined || prefix.length > MAX_FOLDER_PREFIX)
    s3.refuse(name, `${what}, with at most ${MAX_FOLDER_PREFIX} characters behind the bucket.`);
  return { bucket, prefix };
}

/** Hosts are compared as a URL parser writes them. */
function faultOfHost(text: string): string | undefined {
  const url = URL.parse(`https://${text}/`);
  if (url !== null && url.host === text && url.username === "" && url.pathname === "/") return undefined;
  return "is not a host as in a URL: lower case, with a port only if it is not 443, without a scheme.";
}
