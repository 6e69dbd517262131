/** Does what `svc migrate` was asked for, and says what was done. */
import { copyStore } from "../store/copy.ts";
import { upgradeSchema } from "../store/upgrade.ts";

export async function runUpgrade(databaseUrl: string): Promise<void> {
  const applied = await upgradeSchema(databaseUrl);
  const told = applied.map((name) => `applied ${name}\n`).join("");
  process.stdout.write(applied.length === 0 ? "The schema is up to date.\n" : told);
}

export async function runCopy(from: string, to: string): Promise<void> {
  const copied = await copyStore(from, to);
  const told = Object.entries(copied).map(([table, rows]) => `copied ${rows} rows of ${table}\n`);
  process.stdout.write(
    `${told.join("")}${from} is as it was; start the controller with --database-url now.\n`,
  );
}
