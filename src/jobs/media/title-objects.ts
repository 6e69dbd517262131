/** The objects of a title in a storage: those below the folder of its manifest, in the same bucket or on the same host. */
import { isKey, type RemoteName, remoteName } from "./names.ts";
import { isManifest, renditionName } from "./titles.ts";

/** Maximum objects whose URLs one call can request. */
export const MAX_TITLE_OBJECTS = 250;

/** A folder of a storage. */
export interface TitleFolder {
  /** "s3://BUCKET/" or "https://HOST/". */
  readonly root: string;
  /** Path from the root to the folder, not encoded: empty, or with a slash at its end. */
  readonly path: string;
  /** Name of the manifest in it, not encoded. */
  readonly manifest: string;
}

/** Returns the manifest of a rendition; other names unchanged. */
export function manifestOf(name: string): string {
  return renditionName(name)?.manifest ?? name;
}

/** Whether a video is a title in a storage, or a rendition of one. */
export function isStoredTitle(name: string): boolean {
  const manifest = manifestOf(name);
  return isManifest(manifest) && remoteName(manifest) !== undefined;
}

/**
 * Returns the folder of a manifest; undefined: its objects cannot be named, because the manifest is an older version of
 * an object, or its URL has an ambiguous part.
 */
export function titleFolder(manifest: RemoteName): TitleFolder | undefined {
  if (manifest.kind === "s3") {
    if (manifest.versionId !== undefined) return undefined;
    return folderIn(`s3://${manifest.bucket}/`, manifest.key);
  }
  const parts = manifest.path.slice(1).split("/").map(decodedPart);
  if (!parts.every((part) => part !== undefined)) return undefined;
  return folderIn(`https://${manifest.host}/`, parts.join("/"));
}

function folderIn(root: string, path: string): TitleFolder {
  const end = path.lastIndexOf("/") + 1;
  return { root, path: path.slice(0, end), manifest: path.slice(end) };
}

/**
 * Decodes a part of a path once. Returns undefined if it is malformed, or if the decoded text would be
 * several parts or lead to another folder.
 */
export function decodedPart(part: string): string | undefined {
  try {
    const decoded = decodeURIComponent(part);
    return decoded.includes("/") || !isKey(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/**
 * Returns the object at a path from the folder of a manifest, which is not encoded; undefined if a title
 * cannot have such an object. The returned object is always below the folder.
 */
export function titleObject(manifest: RemoteName, path: string): RemoteName | undefined {
  const parts = path.split("/");
  if (parts.includes("") || !isKey(path)) return undefined;
  if (manifest.kind === "s3") {
    const key = `${beforeLast(manifest.key)}${path}`;
    return isKey(key) ? { kind: "s3", bucket: manifest.bucket, key, versionId: undefined } : undefined;
  }
  const encoded = parts.map(encodeURIComponent).join("/");
  return { kind: "https", host: manifest.host, path: `${beforeLast(manifest.path)}${encoded}` };
}

/** Returns a path up to its last slash. */
function beforeLast(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
