/** A client that reads the stream of all jobs of a tenant and counts its events. */
import { Connection } from "../src/client/connection/connection.ts";
import { JobService } from "../src/gen/proto/svc/v1/job_pb.ts";

export class Stream {
  readonly begun: Promise<void>;
  events = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #connection: Connection;

  private constructor(grpc: string) {
    this.#connection = new Connection({ address: grpc });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.begun = promise;
    this.#running = this.#read(resolve);
  }

  static open(grpc: string): Stream {
    return new Stream(grpc);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#connection[Symbol.dispose]();
  }

  async #read(begun: () => void): Promise<void> {
    const { signal } = this.#stop;
    try {
      for await (const { eventId } of this.#connection.stream(JobService.method.streamJobs, {}, { signal })) {
        if (eventId !== "") begun();
        this.events++;
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }
}
