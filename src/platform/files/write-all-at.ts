import type { FileHandle } from "node:fs/promises";

/** Writes all bytes to a file at an offset: a single write may store only some of them. */
export async function writeAllAt(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}
