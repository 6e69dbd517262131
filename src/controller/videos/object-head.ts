/**
 * Opens an object of a storage to read its header: parts of it are fetched into a sparse file, which is deleted
 * afterwards.
 */
import { mkdtempDisposable, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenRemote } from "../../engine/contract/work.ts";
import { type ByteRange, bytesIn } from "../../jobs/media/byte-range.ts";
import { fileNameOf } from "../../jobs/media/names.ts";
import type { ObjectReader } from "../../media/objects/reader.ts";
import type { Found, Signer } from "../../media/storages/signer.ts";

/** Most bytes that are read of an object: the index of an MP4 of two hours takes about 4 MB. */
const MOST_BYTES = 8 * 2 ** 20;

/** `size`: bytes of the object. */
export function openHead(reader: ObjectReader, signer: Signer, found: Found, size: number): OpenRemote {
  return async (signal) => {
    const access = await signer.access(found);
    await using opening = new AsyncDisposableStack();
    const directory = opening.use(await mkdtempDisposable(join(tmpdir(), "svc-header-")));
    const path = join(directory.path, "video");
    const target = opening.use(await open(path, "wx", 0o600));
    await target.truncate(size);
    const handle = opening.use(await open(path, "r"));
    const opened = opening.move();
    const fetched: ByteRange[] = [];
    const isFetched = ({ first, last }: ByteRange) =>
      fetched.some((range) => range.first <= first && last <= range.last);
    return {
      ...{ handle, path, size, fileName: fileNameOf(found.name), modifiedMs: 0, identity: undefined },
      fetch: async (ranges) => {
        for (const range of ranges) {
          if (isFetched(range)) continue;
          fetched.push(range);
          if (bytesIn(fetched) > MOST_BYTES) throw new Error(`a header has more than ${MOST_BYTES} bytes`);
          await target.write(await reader.bytes(access, range, size, signal), 0, undefined, range.first);
        }
      },
      verifyUnchanged: async () => {},
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  };
}
