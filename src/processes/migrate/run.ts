/** Runs `svc migrate` and prints what it did. */
import { Failure } from "../../platform/failure.ts";
import { copyStore } from "../../store/copy.ts";
import { upgradeSchema } from "../../store/upgrade.ts";

export async function runUpgrade(databaseUrl: string): Promise<void> {
  const applied = await withCause(upgradeSchema(databaseUrl));
  const lines = applied.map((name) => `applied ${name}\n`).join("");
  process.stdout.write(applied.length === 0 ? "The schema is up to date.\n" : lines);
}

export async function runCopy(from: string, to: string): Promise<void> {
  const copied = await withCause(copyStore(from, to));
  const lines = Object.entries(copied).map(([table, rows]) => `copied ${rows} rows of ${table}\n`);
  process.stdout.write(
    `${lines.join("")}${from} is unchanged. Start the controller with --database-url now.\n`,
  );
}

/** Throws the cause of an INTERNAL failure, because there is no log that would contain it. */
async function withCause<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Failure && error.code === "INTERNAL" ? (error.cause ?? error) : error;
  }
}
