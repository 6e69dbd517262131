/** `svc migrate`: brings the schema of a database up to date, or moves an embedded installation to PostgreSQL. */
import type { Command } from "commander";
import { addSettings, readSettings } from "../../platform/config/config.ts";
import { exitCodes, GuidedCommand } from "../../platform/config/help.ts";
import { type SettingValues, text, UsageError } from "../../platform/config/setting.ts";

const MIGRATE_SETTINGS = {
  databaseUrl: text({
    flags: "--database-url <url>",
    help: "PostgreSQL database to bring up to date: postgres://USER:PASSWORD@HOST:PORT/NAME",
  }),
  from: text({
    flags: "--from <dir>",
    help: "data directory of the embedded installation to copy; no process may be using it",
  }),
  to: text({
    flags: "--to <url>",
    help: "empty PostgreSQL database to copy to",
  }),
} as const;

const GUIDE = `
Examples:
  $ svc migrate --database-url postgres://svc:secret@db.example/svc
      creates the schema, or brings it up to this version; a controller also does so when it starts
  $ svc migrate --from ~/.local/state/svc --to postgres://svc:secret@db.example/svc
      copies jobs, results, per-frame scores, events and nodes to an empty database, all or nothing
  $ svc controller --auth-disabled --database-url postgres://svc:secret@db.example/svc
      then serves them from there; the directory is unchanged

${exitCodes({
  0: "the schema is up to date; with --from and --to: everything was copied",
  1: "failed: a database cannot be reached or must not be changed",
  2: "the command line, a variable or the --config file is invalid",
})}

The user must own the database. Creating two roles may need an administrator once; the command then prints what
to run. Documentation: docs/store.md`;

export function migrateCommand(): Command {
  const command = new GuidedCommand("svc migrate")
    .description("Bring the schema of a database up to date, or move an embedded installation to PostgreSQL")
    .withGuide(GUIDE);
  return addSettings(command, MIGRATE_SETTINGS).action(async () => {
    const task = taskOf(await readSettings(command, MIGRATE_SETTINGS));
    const { runCopy, runUpgrade } = await import("./run.ts");
    await ("from" in task ? runCopy(task.from, task.to) : runUpgrade(task.databaseUrl));
  });
}

type Task = { readonly from: string; readonly to: string } | { readonly databaseUrl: string };

function taskOf({ databaseUrl, from, to }: SettingValues<typeof MIGRATE_SETTINGS>): Task {
  if (from !== undefined && to !== undefined) {
    // SVC_DATABASE_URL, set for the controller, may name the same database.
    if (databaseUrl === undefined || databaseUrl === to) return { from, to };
    throw new UsageError(
      "--to and --database-url are different databases. Give only the one to copy to, as --to.",
    );
  }
  if (from !== undefined) throw new UsageError("--from needs --to <url>, the database to copy to.");
  if (to !== undefined) throw new UsageError("--to needs --from <dir>, the data directory to copy.");
  if (databaseUrl !== undefined) return { databaseUrl };
  throw new UsageError("give --database-url <url>, or --from <dir> and --to <url>.");
}
