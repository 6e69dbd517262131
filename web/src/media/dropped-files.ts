/** The files of a drop, also those in dropped folders. */

/** Returns files in the order of their names. Hidden ones, such as those that systems leave in folders, are left out. */
export async function droppedFiles({ items }: DataTransfer): Promise<readonly File[]> {
  // Reads all items at once, because they are gone after the first await.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found = await Promise.all(entries.map(filesIn));
  return found.flat();
}

async function filesIn(entry: FileSystemEntry): Promise<readonly File[]> {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile)
    return [
      await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
    ];
  const entries = await entriesOf((entry as FileSystemDirectoryEntry).createReader());
  const sorted = entries.toSorted((one, other) =>
    one.name.localeCompare(other.name, "en", { numeric: true }),
  );
  return (await Promise.all(sorted.map(filesIn))).flat();
}

/**
 * Returns the entries of a folder. A reader returns some of them at each call, and none when there are no
 * more.
 */
async function entriesOf(reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return all;
    all.push(...part);
  }
}
