/** Connections to the database, each in the scope that a statement needs, and what is done when one fails. */
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import { breaksConnection, failureOf, isRetryable, unavailable } from "./faults.ts";
import { type Scope, type Sender, type Statement, statement, type Value } from "./statement.ts";
import { Turns, type Waiter } from "./turns.ts";

/** How a database is reached. */
export interface Driver {
  /** Connections at a time. */
  readonly connections: number;
  /** A connection that is ready for statements. Throws what went wrong. */
  connect(): Promise<Client>;
  /** After the last connection is closed. */
  close(): Promise<void>;
}

/** A statement waits this long for a free connection, in milliseconds. */
const ACQUIRE_LIMIT_MS = 15_000;
/** Tries of a change that loses against others at the same time. */
const TRIES = 8;
const RETRY_PAUSE_MS = 5;

interface Connection {
  readonly client: Client;
  /** Role and tenant that it has; undefined: those it began with. */
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
  readonly #turns: Turns<Connection>;
  /** Connections that are open or being opened. */
  #count = 0;
  #closed = false;

  constructor(driver: Driver) {
    this.#driver = driver;
    this.#turns = new Turns(driver.connections);
  }

  /** One statement by itself: one round trip where a connection of the scope is free. */
  async query<Row extends object>(
    scope: Scope,
    statement: Statement,
    values: readonly Value[],
  ): Promise<Row[]> {
    return this.#retried(scope, (connection) => send<Row>(connection, statement, values));
  }

  /** For statements each by itself. */
  sender(scope: Scope): Sender {
    return { query: async (statement, values) => this.query(scope, statement, values) };
  }

  /** Statements that happen together or not at all. `body` may run several times. */
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
    for (const waiter of this.#turns.clear()) waiter.fail(unavailable("it is being closed"));
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
      this.#turns.giveBack(scope);
      this.#release(connection);
    }
  }

  async #acquire(scope: Scope): Promise<Connection> {
    if (this.#closed) throw unavailable("it is closed");
    if (!this.#turns.take(scope)) return this.#wait(scope);
    const free = this.#takeIdle(scope);
    if (free !== undefined) return free;
    if (this.#count < this.#driver.connections) return this.#connectFor(scope);
    this.#turns.giveBack(scope);
    return this.#wait(scope);
  }

  async #connectFor(scope: Scope): Promise<Connection> {
    try {
      return await this.#connect();
    } catch (error) {
      this.#turns.giveBack(scope);
      this.#serve();
      throw error;
    }
  }

  /** An idle connection, of the same scope where there is one. */
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
        this.#turns.leave(waiter);
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
      const late = () => fail(unavailable(`no connection came free within ${ACQUIRE_LIMIT_MS / 1000} s`));
      const timer = setTimeout(late, ACQUIRE_LIMIT_MS);
      this.#turns.wait(waiter);
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

  /** Whoever may have an idle connection gets one: also one that waited for its tenant's own share alone. */
  #serve(): void {
    while (this.#idle.length > 0) {
      const waiter = this.#turns.next();
      if (waiter === undefined) return;
      const connection = this.#takeIdle(waiter.scope);
      if (connection !== undefined) waiter.take(connection);
    }
  }

  /** Lets go of a connection that cannot be used, and opens another one for who waits. */
  #drop(connection: Connection): void {
    void this.#end(connection);
    if (!this.#turns.isAwaited || this.#closed || this.#count >= this.#driver.connections) return;
    this.#connect().then(
      (opened) => this.#release(opened),
      () => {},
    );
  }

  /** No connection is left that could come free: who waits hears at once why. */
  #failWaiting(error: unknown): void {
    if (this.#count > 0) return;
    for (const waiter of this.#turns.clear()) waiter.fail(error);
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
    // Without a name and values it goes as a simple query, which may hold several statements.
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

/** A connection that cannot even be rolled back is not used again. */
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
