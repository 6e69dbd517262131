/** Brings the schema of a PostgreSQL database up to this program's, and nothing else. */
import { Database } from "./database.ts";
import { migrate } from "./migrations.ts";
import { postgresDriver } from "./postgres.ts";

/** Names of the migrations that were applied; large tables take as long as they take. Throws as openStore does. */
export async function upgradeSchema(databaseUrl: string): Promise<readonly string[]> {
  const database = new Database(postgresDriver(databaseUrl, 0));
  try {
    return await migrate(database);
  } finally {
    await database.close();
  }
}
