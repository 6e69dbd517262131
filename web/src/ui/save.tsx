/** Saves files on the user's machine. */

/** Opens the browser's download of a file. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Returns a file name without extension for a job or comparison: its title, as far as file systems allow it,
 * and its id.
 */
export function fileStemOf(title: string, id: string): string {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80);
  return `${name}-${id.slice(0, 8)}`;
}
