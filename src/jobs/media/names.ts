/** How a job names its videos: a path on the nodes, an object in S3, or an https URL. */

export interface ObjectName {
  readonly kind: "s3";
  readonly bucket: string;
  /** Not encoded. */
  readonly key: string;
  /** undefined: the current version. */
  readonly versionId: string | undefined;
}

export interface WebName {
  readonly kind: "https";
  /** Lower-case host, with the port if it is not 443. */
  readonly host: string;
  /** Encoded, from the first slash on. */
  readonly path: string;
}

/** A video that is not on disk. */
export type RemoteName = ObjectName | WebName;

/** Why a text with a scheme does not name a video. */
export interface NameFault {
  readonly kind: "fault";
  /** Completes a sentence that begins with "The … video". Repeats nothing but the scheme: a URL may contain secrets. */
  readonly text: string;
}

/** A scheme and "//" as in RFC 3986. Prefix a file of such a name with "./". */
const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):\/\//i;
/** Matches the names of buckets that S3 and compatible services allow. */
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/;
const VERSION_ID = /^[A-Za-z0-9._-]{1,1024}$/;
const MAX_KEY_BYTES = 1024;

/** Returns the scheme of a URL as it is written; undefined for a path. */
export function schemeOf(text: string): string | undefined {
  return SCHEME.exec(text)?.[1];
}

/** Returns undefined for a path. */
export function remoteName(text: string): RemoteName | NameFault | undefined {
  const scheme = schemeOf(text)?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (scheme === "s3") return objectName(text.slice("s3://".length));
  if (scheme === "https") return webName(text);
  return fault(`is given as a URL (${scheme}://…)`, "Use a path, s3://BUCKET/KEY or https://HOST/PATH.");
}

function objectName(rest: string): ObjectName | NameFault {
  const [, bucket = "", key = "", query] = /^([^/]*)\/([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
  if (!isBucket(bucket)) return fault("has no name of a bucket in its s3:// URL", "Give s3://BUCKET/KEY.");
  if (key === "" || key.endsWith("/"))
    return fault("has no key of an object in its s3:// URL", "Give s3://BUCKET/KEY.");
  if (!isKey(key))
    return fault(
      `has a key that cannot be used: one over ${MAX_KEY_BYTES} bytes, or with a control character, a backslash or a part "." or ".."`,
      "Rename the object.",
    );
  if (query === undefined) return { kind: "s3", bucket, key, versionId: undefined };
  const versionId = /^versionId=(.*)$/s.exec(query)?.[1];
  if (versionId === undefined || !VERSION_ID.test(versionId))
    return fault("has a query (?…) in its s3:// URL", "Only ?versionId=ID can follow a key.");
  return { kind: "s3", bucket, key, versionId };
}

/** A part of a bucket: the objects whose keys begin with a prefix. */
export interface PrefixName {
  readonly kind: "prefix";
  readonly bucket: string;
  /** Not encoded; empty: all of the bucket. */
  readonly prefix: string;
}

/** Reads s3://BUCKET/PREFIX, as a folder is named. Returns undefined for a text without a scheme. */
export function prefixName(text: string): PrefixName | NameFault | undefined {
  const scheme = schemeOf(text)?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (scheme === "https")
    return fault("is on a web server, which cannot be listed", "Name its files in jobs by their URLs.");
  if (scheme !== "s3")
    return fault(`is given as a URL (${scheme}://…)`, "Use a path, or s3://BUCKET/PREFIX.");
  const [, bucket = "", prefix = ""] = /^([^/]*)(?:\/(.*))?$/s.exec(text.slice("s3://".length)) ?? [];
  if (!isBucket(bucket)) return fault("has no name of a bucket in its s3:// URL", "Give s3://BUCKET/PREFIX.");
  if (prefix.includes("?") || !isKey(prefix))
    return fault("has a prefix that no key of a job can have", "Use a folder that is listed.");
  return { kind: "prefix", bucket, prefix };
}

function isBucket(bucket: string): boolean {
  return BUCKET.test(bucket) && !bucket.includes("..");
}

/** Whether jobs can name keys like this one. */
export function isKey(key: string): boolean {
  return utf8Length(key) <= MAX_KEY_BYTES && key.isWellFormed() && !/[\p{Cc}\\]/u.test(key) && !hasDots(key);
}

function webName(text: string): WebName | NameFault {
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? "";
  if (/[\s\\\p{C}]/u.test(text) || !URL.canParse(text) || authority === "")
    return fault("has an https URL that is not valid", "Encode special characters as %XX.");
  if (authority.includes("@"))
    return fault(
      "has a user name or password in its URL",
      "svc uses no credentials in URLs: leave them out, or name the object by an s3:// URL.",
    );
  if (/[?#]/.test(text))
    return fault(
      "has a query (?…) or a fragment (#…) in its URL",
      "svc stores no query, because a signed one is a secret: name the object by an s3:// URL, or serve it without a query.",
    );
  const { host, pathname } = new URL(text);
  return { kind: "https", host, path: pathname };
}

/** Whether a URL parser would remove parts of the key, and so name another object. */
function hasDots(key: string): boolean {
  return key.split("/").some((part) => part === "." || part === "..");
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function fault(what: string, advice: string): NameFault {
  return { kind: "fault", text: `${what}. ${advice}` };
}

/** Returns the last part of a name, decoded, as a file name. */
export function fileNameOf(name: RemoteName): string {
  const path = name.kind === "s3" ? name.key : name.path;
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (name.kind === "s3") return last;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
