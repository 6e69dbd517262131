/** Does what `svc migrate` was asked for, and says what was done. */
import { Failure } from "../platform/failure.ts";
import { copyStore } from "../store/copy.ts";
import { upgradeSchema } from "../store/upgrade.ts";

export async function runUpgrade(databaseUrl: string): Promise<void> {
  const applied = await telling(upgradeSchema(databaseUrl));
  const told = applied.map((name) => `applied ${name}\n`).join("");
  process.stdout.write(applied.length === 0 ? "The schema is up to date.\n" : told);
}

export async function runCopy(from: string, to: string): Promise<void> {
  const copied = await telling(copyStore(from, to));
  const told = Object.entries(copied).map(([table, rows]) => `copied ${rows} rows of ${table}\n`);
  process.stdout.write(
    `${told.join("")}${from} is as it was; start the controller with --database-url now.\n`,
  );
}

/** There is no log that would have the details of a fault of svc itself. */
async function telling<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Failure && error.code === "INTERNAL" ? (error.cause ?? error) : error;
  }
}
