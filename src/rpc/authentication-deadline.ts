/** Closes a connection on which nobody has shown in time who calls. */
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/** Milliseconds until it takes no new calls; open calls may end. */
const TAKES_CALLS_MS = 30_000;
/** Milliseconds from then to the cut: longer than the request of an unknown caller may be open. */
const LEAVE_MS = 15_000;

export class AuthenticationDeadline {
  readonly #socket: Socket;
  #session: ServerHttp2Session | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#retire(), TAKES_CALLS_MS);
    socket.once("close", () => clearTimeout(this.#timer));
  }

  /** There has been a call. */
  opened(session: ServerHttp2Session): void {
    this.#session = session;
  }

  /** It is known who calls; false: it was before. */
  met(): boolean {
    const isFirst = this.#timer !== undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return isFirst;
  }

  #retire(): void {
    if (this.#session === undefined) {
      this.#socket.destroy();
      return;
    }
    this.#session.close();
    this.#timer = setTimeout(() => this.#socket.destroy(), LEAVE_MS);
  }
}
