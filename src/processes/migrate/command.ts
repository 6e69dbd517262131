/**
 * `svc migrate`: brings the schema of a database up to date, moves an embedded installation to PostgreSQL, or moves results
 * to or from a results storage.
 */
import type { Command } from "commander";
import { addSettings, readSettings } from "../../platform/config/config.ts";
import { exitCodes, GuidedCommand } from "../../platform/config/help.ts";
import { choice, type Setting, type SettingValues, text, UsageError } from "../../platform/config/setting.ts";
import { RESULT_PLACES, type ResultPlace } from "../../store/contract/result-store.ts";
import { RESULTS_STORAGE } from "../controller/storages-setting.ts";
import type { MoveTask } from "./results.ts";

const RESULTS: Setting<ResultPlace | undefined> = {
  ...choice<ResultPlace>({
    flags: "--results <place>",
    help: "move stills, clips and old per-frame scores to the results storage, or back to the database, and keep new ones there: storage or database",
    fallback: "storage",
    of: RESULT_PLACES,
  }),
  shownDefault: "none",
  fallback: undefined,
};

const MIGRATE_SETTINGS = {
  databaseUrl: text({
    flags: "--database-url <url>",
    help: "PostgreSQL database to bring up to date, or whose results are moved: postgres://USER:PASSWORD@HOST:PORT/NAME",
  }),
  from: text({
    flags: "--from <dir>",
    help: "data directory of the embedded installation to copy; no process may be using it",
  }),
  to: text({
    flags: "--to <url>",
    help: "empty PostgreSQL database to copy to",
  }),
  results: RESULTS,
  resultsStorage: RESULTS_STORAGE,
  dataDir: text({
    flags: "--data-dir <dir>",
    help: "data directory of the embedded installation whose results are moved; no process may be using it",
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

  $ svc migrate --results database --results-storage results.yaml --database-url postgres://svc:secret@db.example/svc
      moves stills, clips and per-frame scores back to the database while controllers run; killed or repeated, it continues

${exitCodes({
  0: "the schema is up to date; with --from and --to: everything was copied; with --results: everything was moved",
  1: "failed: a database cannot be reached or must not be changed; with --results: something could not be moved",
  2: "the command line, a variable or the --config file is invalid",
})}

The user must own the database. Creating two roles may need an administrator once; the command then prints what
to run. Documentation: docs/store.md`;

export function migrateCommand(): Command {
  const command = new GuidedCommand("svc migrate")
    .description(
      "Bring the schema of a database up to date, move an embedded installation to PostgreSQL, or move results",
    )
    .withGuide(GUIDE);
  return addSettings(command, MIGRATE_SETTINGS).action(async () => {
    const task = taskOf(await readSettings(command, MIGRATE_SETTINGS));
    if ("results" in task) {
      const { runMove } = await import("./results.ts");
      await runMove(task);
      return;
    }
    const { runCopy, runUpgrade } = await import("./run.ts");
    await ("from" in task ? runCopy(task.from, task.to) : runUpgrade(task.databaseUrl));
  });
}

type Task = { readonly from: string; readonly to: string } | { readonly databaseUrl: string } | MoveTask;

function taskOf(settings: SettingValues<typeof MIGRATE_SETTINGS>): Task {
  const { databaseUrl, from, to, results } = settings;
  if (results !== undefined) return moveOf({ ...settings, results });
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

function moveOf({
  results,
  resultsStorage: file,
  databaseUrl,
  dataDir,
  from,
  to,
}: SettingValues<typeof MIGRATE_SETTINGS> & { readonly results: ResultPlace }): MoveTask {
  if (from !== undefined || to !== undefined)
    throw new UsageError("--results cannot be used with --from and --to. Copy the database first.");
  if (file === undefined)
    throw new UsageError("--results needs --results-storage <file>, the storage of the controllers.");
  if (databaseUrl !== undefined && dataDir === undefined) return { results, file, target: { databaseUrl } };
  if (dataDir !== undefined && databaseUrl === undefined) return { results, file, target: { dataDir } };
  throw new UsageError("--results needs --database-url <url> or --data-dir <dir>, and not both.");
}
