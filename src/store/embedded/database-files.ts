/** The files of the embedded database. An empty database is created once per installation of svc and copied. */
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

/** In the folder of its PGlite and removed with it: database files fit only the PostgreSQL that created them. */
export const EMPTY_DATABASE = join(
  dirname(fileURLToPath(import.meta.resolve("@electric-sql/pglite"))),
  "svc-empty-database",
);

/** Permissions of the empty database: readable like svc itself, as it contains no data. */
const PUBLIC = { folder: 0o755, file: 0o644 };
/** Permissions of a database. PGlite creates later files readable for all, so the folder denies access. */
const PRIVATE = { folder: 0o700, file: 0o600 };

/** Creates the empty database that new ones are copied from, unless it exists. */
export async function makeEmptyDatabase(): Promise<void> {
  if (existsSync(EMPTY_DATABASE)) return;
  await complete(EMPTY_DATABASE, PUBLIC, initialize);
}

/** Creates the files of a database unless they exist: copies `empty`, or initializes them if it does not exist. */
export async function ensureDatabase(files: string, empty: string): Promise<void> {
  if (existsSync(files)) return keepPrivate(files);
  const fill = existsSync(empty) ? copyOf(empty) : initialize;
  await complete(files, PRIVATE, fill);
}

/** Removes group and other permissions. Only the owner can; a process may use the folder as a group member. */
function keepPrivate(files: string): void {
  const { mode, uid } = statSync(files);
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(files, PRIVATE.folder);
}

type Fill = (directory: string) => Promise<void>;

/** PostgreSQL's initdb; takes seconds of CPU time. */
const initialize: Fill = async (directory) => {
  const fresh = await PGlite.create(durableOptions(directory));
  await fresh.close();
};

function copyOf(empty: string): Fill {
  return async (directory) => cpSync(empty, directory, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** Renames the files to their final name once they are complete and synced, so that a crash leaves all or none. */
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
