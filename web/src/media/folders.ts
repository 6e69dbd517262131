/** Names of folders and files as parts of a path or URL. */

/** A folder on the way to another one. */
export interface Crumb {
  readonly label: string;
  /** As the controller lists it. */
  readonly name: string;
}

/** Returns the folder of the file that a field names; empty if unknown. */
export function folderOf(name: string): string {
  const end = name.lastIndexOf("/") + 1;
  const isFolder = name.startsWith("/") || /^s3:\/\/[^/]+\//.test(name);
  return isFolder ? name.slice(0, end) : "";
}

/**
 * Returns the folders on the way to this one, from one of the `beginnings`: the names of the folders that are listed
 * first.
 */
export function crumbsOf(folder: string, beginnings: readonly string[]): readonly Crumb[] {
  if (folder === "") return [];
  const above = beginnings.filter((name) => folder.startsWith(name));
  const begin = above.toSorted((one, other) => other.length - one.length)[0] ?? "";
  const parts = folder.slice(begin.length).split(/(?<=\/)/);
  const crumbs: Crumb[] = begin === "" ? [] : [{ label: begin, name: begin }];
  for (const part of parts.filter((part) => part !== ""))
    crumbs.push({ label: part.replace(/(.)\/$/, "$1"), name: `${crumbs.at(-1)?.name ?? ""}${part}` });
  return crumbs;
}

/** The last part of a name; all of it if it is not below the folder. */
export function lastPart(name: string, folder: string): string {
  return name.startsWith(folder) && name.length > folder.length ? name.slice(folder.length) : name;
}

/** Whether a form field, whose lines are trimmed, can hold a name. */
export function fitsInLine(name: string): boolean {
  return name === name.trim();
}
