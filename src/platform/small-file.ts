/** Files of settings: read whole, and only when they are small and regular. */
import { constants, open } from "node:fs/promises";

/** More than any of them has a use for. */
const SMALL_FILE_BYTES_MOST = 1024 * 1024;

/** The content of a file. Throws when it has over SMALL_FILE_BYTES_MOST bytes, or is no regular file: a pipe or a device might never end. */
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
    if (read > SMALL_FILE_BYTES_MOST) throw new Error(`it has more than ${SMALL_FILE_BYTES_MOST} bytes`);
    return buffer.subarray(0, read);
  } finally {
    await file.close();
  }
}
