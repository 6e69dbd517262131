/** A running PostgreSQL server on a port of this machine, and its databases. */
import { randomUUID } from "node:crypto";
import pg from "pg";

export const ADMIN = "postgres";
/** Owner of the databases. Not a superuser, as row-level security does not apply to superusers. */
export const OWNER = "svc_owner";
/** A database of the shared server with the current schema, from which others are created. */
const PREPARED = "svc_prepared";
/** The variable in which the runner names the port of the server that the test files of a run share. */
export const SHARED_PORT = "SVC_TEST_POSTGRES_PORT";

export class PostgresServer {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** Creates a database; returns its URL for the owner. */
  async createDatabase(name: string, template = "template1"): Promise<string> {
    await this.admin(`create database ${name} template ${template} owner ${OWNER}`);
    return this.url(name);
  }

  url(database: string, user = OWNER): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL as the superuser. */
  async admin(sql: string, database = ADMIN): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.url(database, ADMIN) });
    client.on("error", () => {});
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  }
}

/** Creates the database that others are copied from. `migrate` gives it the current schema. */
export async function prepareDatabase(server: PostgresServer, migrate: (url: string) => Promise<void>) {
  await migrate(await server.createDatabase(PREPARED));
}

/** A database of its own on the server that the test files of a run share. */
export class SharedDatabase implements AsyncDisposable {
  readonly url: string;
  readonly #server: PostgresServer;
  readonly #name: string;

  private constructor(server: PostgresServer, name: string) {
    this.#server = server;
    this.#name = name;
    this.url = server.url(name);
  }

  /** Creates one with the current schema. */
  static prepared(): Promise<SharedDatabase> {
    return SharedDatabase.#create(PREPARED);
  }

  /** Creates one without a schema. */
  static empty(): Promise<SharedDatabase> {
    return SharedDatabase.#create("template1");
  }

  static async #create(template: string): Promise<SharedDatabase> {
    const server = new PostgresServer(sharedPort());
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await server.createDatabase(name, template);
    return new SharedDatabase(server, name);
  }

  /** Runs SQL in it as the superuser. */
  admin(sql: string): Promise<pg.QueryResult> {
    return this.#server.admin(sql, this.#name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.admin(`drop database ${this.#name} with (force)`);
  }
}

function sharedPort(): number {
  const port = process.env[SHARED_PORT];
  if (port === undefined)
    throw new Error(
      `${SHARED_PORT} is not set; run the test with scripts/testing/run.ts, which starts PostgreSQL`,
    );
  return Number(port);
}
