/** The PostgreSQL server that the test files of a run share. It starts with the first file that needs it. */

import { Database } from "../../src/store/connection/database.ts";
import { postgresDriver } from "../../src/store/connection/postgres.ts";
import { knownMigrations, migrate } from "../../src/store/schema/migrations.ts";
import { PostgresCluster } from "../../test/store/postgres.ts";
import { prepareDatabase, SHARED_PORT } from "../../test/store/postgres-server.ts";
import { PROJECT } from "../gates/gate.ts";
import { packagesOf } from "./packages.ts";

/** Folders and files of the tests that need it. */
const NEEDED_BY = packagesOf(PROJECT)
  .filter((one) => one.package === "postgresql")
  .flatMap(({ neededBy }) => neededBy);

export class SharedPostgres implements AsyncDisposable {
  readonly #parent: string;
  #cluster: Promise<PostgresCluster> | undefined;

  /** @param parent parent of its folder */
  constructor(parent: string) {
    this.#parent = parent;
  }

  /** Returns the variables for test files. Starts the server if one needs it. */
  async environmentOf(paths: readonly string[]): Promise<Readonly<Record<string, string>>> {
    if (!paths.some((path) => NEEDED_BY.some((prefix) => path.startsWith(prefix)))) return {};
    this.#cluster ??= startPrepared(this.#parent);
    const { port } = await this.#cluster;
    return { [SHARED_PORT]: String(port) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const cluster = await this.#cluster?.catch(() => undefined);
    await cluster?.[Symbol.asyncDispose]();
  }
}

async function startPrepared(parent: string): Promise<PostgresCluster> {
  const cluster = await PostgresCluster.start({ parent });
  await prepareDatabase(cluster, async (url) => {
    const database = new Database(postgresDriver(url));
    try {
      await migrate(database, knownMigrations());
    } finally {
      await database.close();
    }
  });
  return cluster;
}
