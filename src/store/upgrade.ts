/** Migrates the schema of a PostgreSQL database without opening a store. */
import { Database } from "./connection/database.ts";
import { postgresDriver } from "./connection/postgres.ts";
import { knownMigrations, migrate } from "./schema/migrations.ts";

/** Returns the names of the applied migrations. There is no timeout, as tables can be large. Throws as openStore does. */
export async function upgradeSchema(databaseUrl: string): Promise<readonly string[]> {
  const database = new Database(postgresDriver(databaseUrl, 0));
  try {
    return await migrate(database, knownMigrations());
  } finally {
    await database.close();
  }
}
