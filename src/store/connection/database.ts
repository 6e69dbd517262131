/** The connection pool: gives each statement a connection in its scope, and handles retries and broken connections. */
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import { FairPool, type Waiter } from "./fair-pool.ts";
import { breaksConnection, failureOf, isRetryable, unavailable } from "./faults.ts";
import { type Scope, type Sender, type Statement, statement, type Value } from "./statement.ts";

/** Opens connections to a database. */
export interface Driver {
  /** Limit of concurrent connections. */
  readonly connections: number;
  /** Opens a connection that is ready for statements. Throws the original error. */
  connect(): Promise<Client>;
  /** Called after the last connection is closed. */
  close(): Promise<void>;
}

/** Longest wait for a free connection, in milliseconds. */
const ACQUIRE_LIMIT_MS = 15_000;
/** Attempts of a change that conflicts with concurrent transactions. */
const TRIES = 8;
const RETRY_PAUSE_MS = 5;

interface Connection {
  readonly client: Client;
  /** Its current role and tenant; undefined: the initial ones. */
  scope: Scope | undefined;
  broken: boolean;
}

const TAKE_ROLE = statement("select set_config('role', $1, false), set_config('svc.tenant', $2, false)");
const BEGIN = statement("begin");
const COMMIT = statement("commit");
const ROLLBACK = statement("rollback");

export class Database {
  readonly #driver: Driver;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #pool: FairPool<Connection>;
  /** Connections that are open or opening. */
  #count = 0;
  #closed = false;

  constructor(driver: Driver) {
    this.#driver = driver;
    this.#pool = new FairPool(driver.connections);
  }

  /** Runs a single statement: one round trip if a connection of the scope is idle. */
  async query<Row extends object>(
    scope: Scope,
    statement: Statement,
    values: readonly Value[],
  ): Promise<Row[]> {
    return this.#retried(scope, (connection) => send<Row>(connection, statement, values));
  }

  /** Returns a sender that runs each statement separately. */
  sender(scope: Scope): Sender {
    return { query: async (statement, values) => this.query(scope, statement, values) };
  }

  /** Runs statements in a transaction. `body` may run several times. */
  async transaction<T>(scope: Scope, body: (sender: Sender) => Promise<T>): Promise<T> {
    return this.#retried(scope, async (connection) => {
      const sender: Sender = { query: async (statement, values) => send(connection, statement, values) };
      await send(connection, BEGIN, []);
      try {
        const result = await body(sender);
        await send(connection, COMMIT, []);
        return result;
      } catch (error) {
        await rollBack(connection);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const waiter of this.#pool.clear()) waiter.fail(unavailable("the connection pool is closing"));
    await Promise.all([...this.#open].map(async (connection) => this.#end(connection)));
    await this.#driver.close();
  }

  async #retried<T>(scope: Scope, run: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#leased(scope, run);
      } catch (error) {
        if (attempt >= TRIES || !isRetryable(error)) throw failureOf(error);
        await delay(Math.random() * RETRY_PAUSE_MS * 2 ** attempt);
      }
    }
  }

  async #leased<T>(scope: Scope, run: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire(scope);
    try {
      await takeScope(connection, scope);
      return await run(connection);
    } finally {
      this.#pool.giveBack(scope);
      this.#release(connection);
    }
  }

  async #acquire(scope: Scope): Promise<Connection> {
    if (this.#closed) throw unavailable("the connection pool is closed");
    if (!this.#pool.take(scope)) return this.#wait(scope);
    const free = this.#takeIdle(scope);
    if (free !== undefined) return free;
    if (this.#count < this.#driver.connections) return this.#connectFor(scope);
    this.#pool.giveBack(scope);
    return this.#wait(scope);
  }

  async #connectFor(scope: Scope): Promise<Connection> {
    try {
      return await this.#connect();
    } catch (error) {
      this.#pool.giveBack(scope);
      this.#serve();
      throw error;
    }
  }

  /** Takes an idle connection, preferably of the same scope. */
  #takeIdle(scope: Scope): Connection | undefined {
    const found = this.#idle.findLastIndex((connection) => isSame(connection.scope, scope));
    return found < 0 ? this.#idle.shift() : this.#idle.splice(found, 1)[0];
  }

  async #connect(): Promise<Connection> {
    this.#count++;
    try {
      const connection: Connection = {
        client: await this.#driver.connect(),
        scope: undefined,
        broken: false,
      };
      connection.client.on("error", () => this.#lost(connection));
      connection.client.on("end", () => this.#lost(connection));
      this.#open.add(connection);
      return connection;
    } catch (error) {
      this.#count--;
      this.#failWaiting(error);
      throw error;
    }
  }

  async #wait(scope: Scope): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#pool.leave(waiter);
      };
      const fail = (error: unknown) => {
        end();
        reject(failureOf(error));
      };
      const take = (connection: Connection) => {
        end();
        resolve(connection);
      };
      const waiter: Waiter<Connection> = { scope, take, fail };
      const late = () => fail(unavailable(`no connection became free within ${ACQUIRE_LIMIT_MS / 1000} s`));
      const timer = setTimeout(late, ACQUIRE_LIMIT_MS);
      this.#pool.wait(waiter);
    });
  }

  #release(connection: Connection): void {
    if (connection.broken || this.#closed) {
      this.#drop(connection);
      return;
    }
    this.#idle.push(connection);
    this.#serve();
  }

  /**
   * Gives idle connections to waiters that may have one; some waited only because their tenant had used its
   * share.
   */
  #serve(): void {
    while (this.#idle.length > 0) {
      const waiter = this.#pool.next();
      if (waiter === undefined) return;
      const connection = this.#takeIdle(waiter.scope);
      if (connection !== undefined) waiter.take(connection);
    }
  }

  /** Closes an unusable connection and opens another one if there are waiters. */
  #drop(connection: Connection): void {
    void this.#end(connection);
    if (!this.#pool.isAwaited || this.#closed || this.#count >= this.#driver.connections) return;
    this.#connect().then(
      (opened) => this.#release(opened),
      () => {},
    );
  }

  /** Fails all waiters at once if no connection is left that could become free. */
  #failWaiting(error: unknown): void {
    if (this.#count > 0) return;
    for (const waiter of this.#pool.clear()) waiter.fail(error);
  }

  #lost(connection: Connection): void {
    connection.broken = true;
    const place = this.#idle.indexOf(connection);
    if (place < 0) return;
    this.#idle.splice(place, 1);
    void this.#end(connection);
  }

  async #end(connection: Connection): Promise<void> {
    if (!this.#open.delete(connection)) return;
    this.#count--;
    connection.broken = true;
    await connection.client.end().catch(() => {});
  }
}

async function send<Row extends object>(
  connection: Connection,
  { name, text }: Statement,
  values: readonly Value[],
): Promise<Row[]> {
  try {
    // Without a name and values it is sent as a simple query, which can contain several statements.
    const query = name === "" ? { text } : { name, text, values: [...values] };
    return (await connection.client.query<Row>(query)).rows;
  } catch (error) {
    if (breaksConnection(error)) connection.broken = true;
    throw error;
  }
}

async function takeScope(connection: Connection, scope: Scope): Promise<void> {
  if (isSame(connection.scope, scope)) return;
  connection.scope = undefined;
  await send(connection, TAKE_ROLE, roleAndTenant(scope));
  connection.scope = scope;
}

function roleAndTenant(scope: Scope): [string, string] {
  if (typeof scope === "object") return ["svc_tenant", scope.tenant];
  return [scope === "fleet" ? "svc_fleet" : "none", ""];
}

/** Rolls back; if that fails, the connection is not used again. */
async function rollBack(connection: Connection): Promise<void> {
  if (connection.broken) return;
  await send(connection, ROLLBACK, []).catch(() => {
    connection.broken = true;
  });
}

function isSame(a: Scope | undefined, b: Scope): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return a.tenant === b.tenant;
}
