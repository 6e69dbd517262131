/** Makes files large without making more of them: what they get is a hole at their end. */
import { open } from "node:fs/promises";

/** Appends an empty box of this size to an MP4 or MOV. */
export async function enlarge(path: string, bytes: number): Promise<string> {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(bytes);
  head.write("free", 4, "latin1");
  await using file = await open(path, "r+");
  const { size } = await file.stat();
  await file.write(head, 0, head.length, size);
  await file.truncate(size + bytes);
  return path;
}
