/** The files of the embedded database: an empty database is made once for an installation of svc, and copied. */
import {
  chmodSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { durableOptions } from "./durable-files.ts";

/** With the PGlite that made it, and gone with it: a database fits the PostgreSQL that made its files. */
export const EMPTY_DATABASE = join(
  dirname(fileURLToPath(import.meta.resolve("@electric-sql/pglite"))),
  "svc-empty-database",
);

/** Permissions of what anybody may read who may read svc: an empty database holds nothing of anybody. */
const PUBLIC = { folder: 0o755, file: 0o644 };
/** Permissions of a database. PGlite gives what it makes later to everybody, so the folder keeps others out. */
const PRIVATE = { folder: 0o700, file: 0o600 };

/** Makes the empty database that new ones are copied from, where it is not there yet. */
export async function makeEmptyDatabase(): Promise<void> {
  if (existsSync(EMPTY_DATABASE)) return;
  await complete(EMPTY_DATABASE, PUBLIC, initialize);
}

/** Makes the files of a database where there are none yet: a copy of `empty`, or anew where that is not there. */
export async function ensureDatabase(files: string, empty: string): Promise<void> {
  if (existsSync(files)) return keepPrivate(files);
  const fill = existsSync(empty) ? copyOf(empty) : initialize;
  await complete(files, PRIVATE, fill);
}

/** Whose folder it is not may use it as its group, and cannot change that. */
function keepPrivate(files: string): void {
  const { mode, uid } = statSync(files);
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(files, PRIVATE.folder);
}

type Fill = (directory: string) => Promise<void>;

/** Seconds of computing: what PostgreSQL calls initdb. */
const initialize: Fill = async (directory) => {
  const fresh = await PGlite.create(durableOptions(directory));
  await fresh.close();
};

function copyOf(empty: string): Fill {
  return async (directory) => cpSync(empty, directory, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** Files get their name when they are complete and on disk, so that a crash leaves all of them or none. */
async function complete(files: string, modes: typeof PRIVATE, fill: Fill): Promise<void> {
  const unfinished = `${files}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await fill(unfinished);
  for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, entry.isDirectory() ? modes.folder : modes.file);
    syncPath(path);
  }
  chmodSync(unfinished, modes.folder);
  renameSync(unfinished, files);
  syncPath(dirname(files));
}

function syncPath(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}
