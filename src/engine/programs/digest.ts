/**
 * Identifies everything that computes scores on this machine: svc itself, the programs with their libraries, and the
 * processor.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
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

/** glibc's loader finds most libraries through this file, which ldconfig writes after each installation. */
const LOADER_CACHE = "/etc/ld.so.cache";

/** A fact about a file, and the file's identity when it was read. */
interface Known<T> {
  readonly identity: string | undefined;
  readonly fact: T;
}

/** Digests of the programs of an engine; their files are read again when they change. */
export class ProgramDigests {
  readonly #files = new Map<string, Promise<Known<readonly string[]>>>();
  readonly #digests = new Map<string, Promise<Known<string>>>();

  /**
   * Returns a SHA-256 in hex that is equal where the same programs, libraries and processor compute scores for the same
   * svc. Undefined if a program is a script, or its libraries are not known.
   */
  async of(programs: readonly string[]): Promise<string | undefined> {
    try {
      const paths = await Promise.all([...new Set(programs)].map((program) => this.#filesOf(program)));
      const digests = await Promise.all(paths.flat().map((path) => this.#digestOf(path)));
      const [processor] = cpus();
      const facts = [version(), process.arch, processor?.model, ...digests];
      return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
    } catch {
      // A program that cannot be identified can still score.
      return undefined;
    }
  }

  /** Listing libraries starts a process: 10 ms, and more in a large process. */
  async #filesOf(program: string): Promise<readonly string[]> {
    const path = await realpath(program);
    const identities = await Promise.all([fileIdentity(path), loaderCacheIdentity()]);
    const identity = identities.includes(undefined) ? undefined : identities.join(" ");
    const [own, ...libraries] = await readOnce(this.#files, path, identity, () => filesOf(path));
    return [own ?? path, ...(await Promise.all(libraries.map((library) => realpath(library))))];
  }

  async #digestOf(path: string): Promise<string> {
    return readOnce(this.#digests, path, await fileIdentity(path), () => digestOf(path));
  }
}

/** Reads a fact about a file again only if the file's identity has changed or is not known. */
async function readOnce<T>(
  known: Map<string, Promise<Known<T>>>,
  path: string,
  identity: string | undefined,
  read: () => Promise<T>,
): Promise<T> {
  const before = await known.get(path)?.catch(() => undefined);
  if (before !== undefined && before.identity === identity && identity !== undefined) return before.fact;
  const reading = read().then((fact) => ({ identity, fact }));
  known.set(path, reading);
  return (await reading).fact;
}

/** Returns undefined if the cache has just changed. */
async function loaderCacheIdentity(): Promise<string | undefined> {
  const identity = await fileIdentity(LOADER_CACHE);
  return identity ?? (existsSync(LOADER_CACHE) ? undefined : "none");
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), digest);
  return digest.digest("hex");
}

/** Returns the paths of a program and of the libraries that its loader finds. Throws if they cannot be listed. */
async function filesOf(path: string): Promise<readonly string[]> {
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
  return [path, ...libraries];
}

async function headerOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
