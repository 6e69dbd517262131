/** Connections to a PostgreSQL server. */
import { Client } from "pg";
import { Failure } from "../../platform/failure.ts";
import type { Driver } from "./database.ts";
import { SESSION_SETTINGS, TYPES } from "./settings.ts";

/** Connections of one controller, not counting the listener's: statements take about a millisecond. */
const CONNECTIONS = 16;
const CONNECT_LIMIT_MS = 10_000;
/** Longer than the server's statement timeout: without a response by then, the connection is dead. */
const SILENCE_LIMIT_MS = 45_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * @param databaseUrl postgres://USER:PASSWORD@HOST:PORT/DATABASE
 * @param answerLimitMs drops a connection if a statement has no response for that long; 0: never
 */
export function postgresDriver(databaseUrl: string, answerLimitMs = SILENCE_LIMIT_MS): Driver {
  return {
    connections: CONNECTIONS,
    connect: async () => connectPostgres(databaseUrl, answerLimitMs),
    close: async () => {},
  };
}

/** @param answerLimitMs drops the connection if a statement has no response for that long; 0: never. */
export async function connectPostgres(databaseUrl: string, answerLimitMs: number): Promise<Client> {
  const client = new Client({
    connectionString: checkedUrl(databaseUrl),
    fallback_application_name: "svc",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    query_timeout: answerLimitMs,
    types: TYPES,
  });
  // The failing statement reports the error; without a listener the event would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(SESSION_SETTINGS);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Throws INVALID_REQUEST if the URL is invalid. The message omits the URL, as it can contain a password. */
function checkedUrl(databaseUrl: string): string {
  const protocol = URL.canParse(databaseUrl) ? new URL(databaseUrl).protocol : undefined;
  if (protocol === "postgres:" || protocol === "postgresql:") return databaseUrl;
  throw new Failure(
    "INVALID_REQUEST",
    "The database URL must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE.",
  );
}
