/** Closes a connection on which nobody authenticates in time. */
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/** Milliseconds until the connection accepts no new calls; open calls may finish. */
const TAKES_CALLS_MS = 30_000;
/** Milliseconds from then until it is closed; longer than an unauthenticated request may be open. */
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

  /** Records the session once there is a call. */
  opened(session: ServerHttp2Session): void {
    this.#session = session;
  }

  /** Records that a caller was authenticated. Returns false if another call was authenticated earlier. */
  meet(): boolean {
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
