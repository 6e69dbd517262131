/** `svc migrate`: brings a database's schema up to date, or moves an embedded installation to PostgreSQL. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../platform/config.ts";
import { exitCodes, GuidedCommand } from "../platform/help.ts";
import { type SettingValues, text, UsageError } from "../platform/setting.ts";

const MIGRATE_SETTINGS = {
  databaseUrl: text({
    flags: "--database-url <url>",
    help: "PostgreSQL database whose schema is brought up to date, postgres://USER:PASSWORD@HOST:PORT/NAME",
  }),
  from: text({
    flags: "--from <dir>",
    help: "data directory of an embedded installation to copy; nothing may run on it",
  }),
  to: text({
    flags: "--to <url>",
    help: "empty PostgreSQL database to copy it to",
  }),
} as const;

const GUIDE = `
Examples:
  $ svc migrate --database-url postgres://svc:secret@db.example/svc
      makes the schema, or brings it up to this version; a controller does so too when it starts
  $ svc migrate --from ~/.local/state/svc --to postgres://svc:secret@db.example/svc
      copies jobs, results, frames, events and nodes to an empty database, all of it or nothing
  $ svc controller --auth-disabled --database-url postgres://svc:secret@db.example/svc
      then serves them from there; the directory stays as it was

${exitCodes({
  0: "the schema is up to date; with --from and --to: everything is copied",
  1: "it failed: a database cannot be reached, or must not be changed",
  2: "the command line, a variable or the file is wrong",
})}

The database's user must own the database and may need an administrator once, to make two roles: what to
run is said then. All of it: docs/store.md`;

export function migrateCommand(): Command {
  const command = new GuidedCommand("svc migrate")
    .description("Bring a database's schema up to date, or move an embedded installation to PostgreSQL")
    .withGuide(GUIDE);
  return addSettings(command, MIGRATE_SETTINGS).action(async () => {
    const task = taskOf(await readSettings(command, MIGRATE_SETTINGS));
    const { runCopy, runUpgrade } = await import("./migrate-run.ts");
    await ("from" in task ? runCopy(task.from, task.to) : runUpgrade(task.databaseUrl));
  });
}

type Task = { readonly from: string; readonly to: string } | { readonly databaseUrl: string };

function taskOf({ databaseUrl, from, to }: SettingValues<typeof MIGRATE_SETTINGS>): Task {
  if (from !== undefined && to !== undefined) {
    // A variable for the controller may well name the same database.
    if (databaseUrl === undefined || databaseUrl === to) return { from, to };
    throw new UsageError("--to and --database-url name two databases. Give the one to copy to, as --to.");
  }
  if (from !== undefined) throw new UsageError("--from needs --to <url>: where to copy it.");
  if (to !== undefined) throw new UsageError("--to needs --from <dir>: what to copy.");
  if (databaseUrl !== undefined) return { databaseUrl };
  throw new UsageError("give --database-url <url>, or --from <dir> and --to <url>.");
}
