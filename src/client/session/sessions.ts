/** The sessions of a user, each in a separate file that nobody else can read. */
import { constants, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { JsonFault } from "../../platform/json.ts";
import { systemReason } from "../../platform/system-reason.ts";
import { withLock } from "./lock.ts";
import { parseSession, type Session, sessionText } from "./session.ts";

/** Size limit: more than the tokens that a server accepts need. */
const MAX_BYTES = 256 * 1024;
/** Permission bits of group and others. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
/** Errors that mean no session: there is no file, or we may not read it. */
const NONE: readonly string[] = ["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG"];

export class Sessions {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the file of a server, given as from normalServer. */
  fileOf(server: string): string {
    return join(this.#directory, `session-${encodeURIComponent(server)}.json`);
  }

  /**
   * Returns the session for a server; undefined if there is none. Throws INVALID_REQUEST if others could read or write
   * the file, or it isn't a valid session file.
   */
  async read(server: string): Promise<Session | undefined> {
    const path = this.fileOf(server);
    let file: FileHandle;
    try {
      file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      const code = errorCode(error) ?? "";
      if (NONE.includes(code)) return undefined;
      throw faulty(server, path, code === "ELOOP" ? "is a symbolic link" : "cannot be opened");
    }
    await using held = file;
    const fault = faultOf(await held.stat()) ?? directoryFault(await stat(this.#directory));
    if (fault !== undefined) throw faulty(server, path, fault);
    try {
      const session = parseSession(await textOf(held));
      if (session.server === server) return session;
    } catch (error) {
      if (error instanceof JsonFault) throw faulty(server, path, error.message);
      throw error;
    }
    throw faulty(server, path, "is for another server");
  }

  /** Replaces the session of its server atomically. Call it in `locked`. Throws INVALID_REQUEST. */
  async write(session: Session): Promise<void> {
    const path = this.fileOf(session.server);
    const temporary = `${path}.new`;
    try {
      await rm(temporary, { force: true });
      await using file = await open(temporary, "wx", 0o600);
      await file.writeFile(sessionText(session));
      await file.sync();
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw notKept(path, error);
    }
  }

  /** Deletes a session, and returns whether there was one. Call it in `locked`. Throws INVALID_REQUEST. */
  async remove(server: string): Promise<boolean> {
    const path = this.fileOf(server);
    try {
      await rm(path);
      return true;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      throw new Failure(
        "INVALID_REQUEST",
        `${JSON.stringify(path)} cannot be deleted: ${systemReason(error)}.`,
      );
    }
  }

  /** Runs while no other process changes a session; creates the folder. Throws INVALID_REQUEST if that fails. */
  async locked<T>(run: () => Promise<T>): Promise<T> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const fault = directoryFault(await stat(this.#directory));
      if (fault !== undefined) throw new Error(fault);
    } catch (error) {
      throw notKept(this.#directory, error);
    }
    let begun = false;
    const once = () => {
      begun = true;
      return run();
    };
    return withLock(join(this.#directory, "lock"), once).catch((error: unknown) => {
      throw begun || error instanceof Failure ? error : notKept(this.#directory, error);
    });
  }
}

async function textOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
  if (bytesRead > MAX_BYTES) throw new JsonFault("is too large");
  return buffer.toString("utf8", 0, bytesRead);
}

/** Returns why a file must not be used; undefined if it may. */
function faultOf(found: Stats): string | undefined {
  if (!found.isFile()) return "is not a file";
  if (isOthers(found)) return "belongs to another user";
  const mode = (found.mode & 0o777).toString(8);
  return (found.mode & OTHERS) === 0 ? undefined : `can be read or written by others (its mode is ${mode})`;
}

function directoryFault(found: Stats): string | undefined {
  if (isOthers(found)) return "is in a folder that belongs to another user";
  return (found.mode & OTHERS_WRITE) === 0 ? undefined : "is in a folder that others can write to";
}

function isOthers({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

function faulty(server: string, path: string, fault: string): Failure {
  return new Failure(
    "INVALID_REQUEST",
    `The session for ${server} is not used: ${JSON.stringify(path)} ${fault}. Delete it with svc logout --server ${server}, and sign in again.`,
  );
}

function notKept(path: string, error: unknown): Failure {
  const why = errorCode(error) === undefined ? ` ${systemReason(error)}` : `: ${systemReason(error)}`;
  return new Failure(
    "INVALID_REQUEST",
    `The session cannot be saved: ${JSON.stringify(path)}${why}. Use a folder of your own, or set XDG_STATE_HOME to another one.`,
  );
}
