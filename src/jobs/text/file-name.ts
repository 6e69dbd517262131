/** Returns the last component of a path, or the path itself if it contains only slashes. */
export function fileName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) || path;
}
