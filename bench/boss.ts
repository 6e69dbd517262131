/** pg-boss, the queue that the store is compared with: in this process, with a connection per concurrent call. */
import { PgBoss } from "pg-boss";

const QUEUE = "bench";

export class Boss implements AsyncDisposable {
  readonly #boss: PgBoss;

  private constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  /** Installs its schema and creates a queue. Disables its maintenance, so that only the calls are measured. */
  static async open(connectionString: string, connections: number): Promise<Boss> {
    const boss = new PgBoss({ connectionString, max: connections, supervise: false, schedule: false });
    boss.on("error", (error) => console.error(error));
    await boss.start();
    await boss.createQueue(QUEUE);
    return new Boss(boss);
  }

  async send(data: object): Promise<void> {
    if ((await this.#boss.send(QUEUE, data)) === null) throw new Error("pg-boss did not store the job");
  }

  /** Takes a job and completes it without fencing, its fastest way. */
  async cycle(result: object): Promise<void> {
    const [job] = await this.#boss.fetch(QUEUE);
    if (job === undefined) throw new Error("pg-boss has no job left");
    await this.#boss.complete(QUEUE, job.id, result);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#boss.stop({ graceful: false });
  }
}
