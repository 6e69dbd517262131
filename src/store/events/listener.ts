/** LISTEN and NOTIFY on a dedicated connection that reconnects automatically. */
import { randomUUID } from "node:crypto";
import type { Client, Notification } from "pg";
import { BackOff } from "../../platform/concurrency/back-off.ts";
import { Background, pause } from "../../platform/concurrency/lifecycle.ts";
import type { Log } from "../../platform/observability/log.ts";
import { connectPostgres } from "../connection/postgres.ts";
import type { Carrier } from "./notifications.ts";

/** Sends a batch in one transaction. */
const NOTIFY = "select pg_notify($1, $2 || payload) from unnest($3::text[]) as payload";
const CHANNEL = "svc_announcements";
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Interval of liveness checks in milliseconds: a dead connection is silent. */
const PULSE_MS = 10_000;
const ANSWER_LIMIT_MS = 5_000;

/**
 * @param onPayload called with payloads of other processes.
 * @param onReconnect called after each (re)connect: earlier notifications may be lost.
 */
export function openListener(
  databaseUrl: string,
  log: Log,
  onPayload: (payload: string) => void,
  onReconnect: () => void,
): Carrier & { readonly started: Promise<void> } {
  const listener = new Listener(databaseUrl, log, onPayload, onReconnect);
  const background = new Background(async (signal, isStarted) => listener.run(signal, isStarted));
  background.start();
  return {
    started: background.started,
    send: (payloads) => listener.send(payloads),
    close: async () => background.stop(),
  };
}

class Listener {
  readonly #databaseUrl: string;
  readonly #log: Log;
  readonly #onPayload: (payload: string) => void;
  readonly #onReconnect: () => void;
  /** Prefix of its own notifications, to ignore them. */
  readonly #self = randomUUID();
  #client: Client | undefined;
  /** A connection answers one statement at a time. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(databaseUrl: string, log: Log, onPayload: (payload: string) => void, onReconnect: () => void) {
    this.#databaseUrl = databaseUrl;
    this.#log = log;
    this.#onPayload = onPayload;
    this.#onReconnect = onReconnect;
  }

  /**
   * Payloads are lost while disconnected; the maintenance tasks of other controllers then find the changes.
   */
  send(payloads: readonly string[]): void {
    const client = this.#client;
    if (client !== undefined) void this.#ask(client, NOTIFY, [CHANNEL, this.#self, payloads]);
  }

  async run(signal: AbortSignal, isStarted: () => void): Promise<void> {
    const backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, 0);
    while (!signal.aborted) {
      try {
        await this.#listen(signal, () => {
          backOff.reset();
          isStarted();
        });
      } catch (err) {
        // Until then maintenance tasks find the changes of other controllers.
        this.#log.warn({ err }, "failed to LISTEN for notifications; retrying");
        isStarted();
      }
      await pause(backOff.next(), signal);
    }
  }

  /** Listens until the signal aborts or the connection ends. */
  async #listen(signal: AbortSignal, listening: () => void): Promise<void> {
    const client = await connectPostgres(this.#databaseUrl, ANSWER_LIMIT_MS);
    const ended = Promise.withResolvers<void>();
    const stop = () => ended.resolve();
    client.once("end", stop);
    client.on("error", stop);
    signal.addEventListener("abort", stop);
    // It may have aborted while the connection was opened.
    if (signal.aborted) stop();
    try {
      client.on("notification", (notification) => this.#receive(notification));
      await client.query(`listen ${CHANNEL}`);
      this.#client = client;
      this.#onReconnect();
      listening();
      await this.#untilDead(client, ended.promise, signal);
    } finally {
      signal.removeEventListener("abort", stop);
      this.#client = undefined;
      await client.end().catch(() => {});
    }
  }

  async #untilDead(client: Client, ended: Promise<void>, signal: AbortSignal): Promise<void> {
    const pulse = setInterval(() => void this.#ask(client, "select 1", []), PULSE_MS);
    try {
      await ended;
      await this.#sending;
      if (!signal.aborted) this.#log.warn({}, "lost the connection for notifications; reconnecting");
    } finally {
      clearInterval(pulse);
    }
  }

  async #ask(client: Client, text: string, values: unknown[]): Promise<void> {
    this.#sending = this.#sending
      .then(async () => client.query(text, values))
      .catch(() => client.emit("end"));
    await this.#sending;
  }

  #receive({ payload = "" }: Notification): void {
    if (payload.startsWith(this.#self)) return;
    try {
      this.#onPayload(payload.slice(this.#self.length));
    } catch (err) {
      // An exception in the socket's handler would end the process.
      this.#log.error({ err }, "failed to handle a notification; ignored it");
    }
  }
}
