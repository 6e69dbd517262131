/**
 * Data directories whose database has the current schema. Creating one takes seconds of CPU time, so it is created once
 * for these sources and then copied. Tests of the first start of an installation don't use it.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone } from "../../scripts/alone.mjs";
import { openLog } from "../../src/platform/observability/log.ts";
import { DATABASE_FOLDER } from "../../src/store/embedded/database.ts";
import { openStore } from "../../src/store/open.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = join(ROOT, "node_modules", ".cache", "svc-test-databases");
/** What the files of the database depend on. */
const SOURCES = ["migrations/*.sql", "src/store/{embedded,schema}/*.ts", "package-lock.json"];

/** Copies the prepared database into a data directory, unless it has a database. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  const database = join(dataDir, DATABASE_FOLDER);
  if (existsSync(database)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  cpSync(join(await preparedDataDir(), DATABASE_FOLDER), database, { recursive: true });
}

let prepared: Promise<string> | undefined;

/** Returns the data directory to copy from. */
function preparedDataDir(): Promise<string> {
  prepared ??= make();
  return prepared;
}

async function make(): Promise<string> {
  const key = sourcesKey();
  const folder = join(CACHE, key);
  if (existsSync(folder)) return folder;
  return alone(`svc-test-database-${key}`, async () => {
    if (existsSync(folder)) return folder;
    // Older ones are of no use.
    rmSync(CACHE, { recursive: true, force: true });
    const unfinished = `${folder}.unfinished`;
    const log = openLog({ level: "silent", format: "json" });
    await (await openStore({ dataDir: unfinished }, log)).close();
    renameSync(unfinished, folder);
    return folder;
  });
}

function sourcesKey(): string {
  const hash = createHash("sha256").update(ROOT);
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort()) hash.update(readFileSync(join(ROOT, path)));
  return hash.digest("hex").slice(0, 16);
}
