/** The last component of a path, as people name its file. */

export function fileName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) || path;
}
