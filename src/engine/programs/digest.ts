/** Identifies what computes scores on this machine: svc itself, the programs with their libraries, and the processor. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { cpus } from "node:os";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { version } from "../../platform/version.ts";
import { fileIdentity } from "../files/identity.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;
const ELF = Buffer.from("\x7fELF", "latin1");
/** Bytes at the beginning of a program that contain the name of its loader. */
const HEADER_BYTES = 64 * 1024;

/** The digest of a file, and what identifies the file without reading it again. */
interface Read {
  readonly identity: string | undefined;
  readonly digest: string;
}

/** Digests of the programs of an engine; their files are read again when they change. */
export class ProgramDigests {
  readonly #known = new Map<string, Promise<Read>>();

  /**
   * Returns a SHA-256 in hex that is equal where the same programs, libraries and processor compute scores for the same
   * svc. Undefined: a program is a script, or its libraries are not known.
   */
  async of(programs: readonly string[]): Promise<string | undefined> {
    try {
      const files = await Promise.all([...new Set(programs)].map(filesOf));
      const read = await Promise.all(files.flat().map((path) => this.#read(path)));
      const [processor] = cpus();
      const facts = [version(), process.arch, processor?.model, ...read.map(({ digest }) => digest)];
      return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
    } catch {
      // A program that cannot be identified can score all the same.
      return undefined;
    }
  }

  async #read(path: string): Promise<Read> {
    const before = await this.#known.get(path)?.catch(() => undefined);
    const identity = await fileIdentity(path);
    if (before !== undefined && before.identity === identity && identity !== undefined) return before;
    const read = digestOf(path).then((digest) => ({ identity, digest }));
    this.#known.set(path, read);
    return read;
  }
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), digest);
  return digest.digest("hex");
}

/** Returns a program and the libraries that the loader gives it. Throws if they are not known. */
async function filesOf(program: string): Promise<readonly string[]> {
  const path = await realpath(program);
  const header = await headerOf(path);
  if (!header.subarray(0, ELF.length).equals(ELF)) throw new Error(`${path} is not an ELF program`);
  if (!header.includes("/ld-linux")) {
    if (header.includes("/ld-musl")) throw new Error(`the libraries of ${path} are not known`);
    return [path];
  }
  // The loader of glibc lists what it would load, and does not start the program.
  const { stdout } = await run(path, ["-version"], {
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: { LD_TRACE_LOADED_OBJECTS: "1" },
  });
  const libraries = [...stdout.matchAll(/=> (\/\S+) \(0x/g)].map(([, found = ""]) => found);
  if (libraries.length === 0 || stdout.includes("not found"))
    throw new Error(`the libraries of ${path} are not known`);
  return [path, ...(await Promise.all(libraries.map((library) => realpath(library))))];
}

async function headerOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
