/** Counts the notifications between controllers, as one more listener. */
import pg from "pg";

/** Length of the sender's id, which precedes the notification. */
const SENDER = 36;

export class Notices implements AsyncDisposable {
  readonly #client: pg.Client;
  readonly #counts = new Map<string, number>();

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on("notification", ({ payload = "" }) => this.#take(payload));
  }

  static async open(url: string): Promise<Notices> {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    const notices = new Notices(client);
    await client.query("listen svc_announcements");
    return notices;
  }

  /** Counts so far, by kind. */
  get counts(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }

  #take(payload: string): void {
    const { kind } = JSON.parse(payload.slice(SENDER)) as { readonly kind: string };
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}
