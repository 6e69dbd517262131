/** Makes the files of PGlite durable: PGlite itself never syncs them. */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** An open file of Emscripten: `nfd` is the Node.js file descriptor, which a directory does not have. */
interface Stream {
  readonly nfd?: number;
  readonly node: unknown;
}

interface NodeFiles {
  readonly stream_ops: { fsync?: (stream: Stream) => void };
  realPath(node: unknown): string;
}

/** Start parameters of PGlite: sync by fsync (other methods can hang it), and few buffers to save memory. */
const START_PARAMETERS = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  ...["-c", "wal_sync_method=fsync", "-c", "shared_buffers=32MB"],
];

/** Returns PGlite options with which committed transactions survive a crash of the process or the machine. */
export function durableOptions(directory: string): PGliteOptions {
  return { fs: new DurableFiles(directory), startParams: START_PARAMETERS };
}

class DurableFiles extends NodeFS {
  override async init(
    ...[pg, options]: Parameters<NodeFS["init"]>
  ): Promise<Awaited<ReturnType<NodeFS["init"]>>> {
    const { emscriptenOpts } = await super.init(pg, options);
    const hook = (module: unknown) => {
      const { NODEFS } = module as { NODEFS: NodeFiles };
      NODEFS.stream_ops.fsync = (stream) => syncStream(NODEFS, stream);
    };
    const preRun = [emscriptenOpts.preRun ?? [], hook].flat();
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

function syncStream(files: NodeFiles, { nfd, node }: Stream): void {
  const fd = nfd ?? openSync(files.realPath(node), "r");
  try {
    fsyncSync(fd);
  } finally {
    if (nfd === undefined) closeSync(fd);
  }
}
