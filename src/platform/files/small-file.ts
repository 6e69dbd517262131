/** Reads small regular files, such as settings. */
import { constants, open } from "node:fs/promises";

/** More than any such file needs. */
const SMALL_FILE_BYTES_MOST = 1024 * 1024;

/** Returns the content of a file. Throws if it is larger than SMALL_FILE_BYTES_MOST, or not a regular file: a pipe or a
 * device might never end. */
export async function readSmallFile(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error("it is not a regular file");
    const buffer = Buffer.allocUnsafe(SMALL_FILE_BYTES_MOST + 1);
    let read = 0;
    while (read < buffer.length) {
      const { bytesRead } = await file.read(buffer, read, buffer.length - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    if (read > SMALL_FILE_BYTES_MOST) throw new Error(`it is larger than ${SMALL_FILE_BYTES_MOST} bytes`);
    return buffer.subarray(0, read);
  } finally {
    await file.close();
  }
}
