/** The loopback server that receives the redirect of a sign-in (RFC 8252, section 7.3). */
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";
import { type Page, show } from "./page.ts";

/** A callback with the expected state. */
export interface CallbackAnswer {
  readonly url: URL;
  /** Sends the browser a page. */
  show(page: Page): Promise<void>;
}

export interface CallbackOptions {
  /** 0: a free port. */
  readonly port: number;
  /** The state that the callback must have. Nobody else can know it. */
  readonly state: string;
  /** Called for every callback without that state. */
  readonly onForged: () => void;
}

const HOST = "127.0.0.1";
const PATH = "/callback";
/** Milliseconds within which a request must arrive. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Accepts one callback. Requests from other pages have no effect. */
export class CallbackServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #options: CallbackOptions;
  readonly #answer = Promise.withResolvers<CallbackAnswer>();
  #answered = false;

  private constructor(options: CallbackOptions) {
    this.#options = options;
    this.#server = createServer(
      { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
      (request, response) => void this.#handle(request, response),
    );
  }

  /** Throws INVALID_REQUEST if the port is not free. */
  static async listen(options: CallbackOptions): Promise<CallbackServer> {
    const callback = new CallbackServer(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const server = callback.#server.once("error", reject).listen(options.port, HOST, resolve);
    try {
      await promise;
    } catch (error) {
      const why = systemReason(error);
      throw new Failure("INVALID_REQUEST", `Failed to listen on --port ${options.port}: ${why}.`);
    }
    server.off("error", reject);
    return callback;
  }

  get redirectUri(): string {
    return `http://${this.#authority}${PATH}`;
  }

  /** Waits for the callback. Throws the signal's reason if that aborts first. */
  async answer(signal: AbortSignal): Promise<CallbackAnswer> {
    const { promise, reject } = Promise.withResolvers<never>();
    const end = () => reject(signal.reason);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    try {
      return await Promise.race([promise, this.#answer.promise]);
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  get #authority(): string {
    return `${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    const url = URL.parse(request.url ?? "", `http://${this.#authority}`);
    // A page of a rebound DNS name would send its own host.
    const isOurs = request.method === "GET" && request.headers.host === this.#authority;
    if (!isOurs || url?.origin !== `http://${this.#authority}` || url.pathname !== PATH) {
      return show(response, "unknown");
    }
    if (!this.#hasState(url)) {
      this.#options.onForged();
      return show(response, "forged");
    }
    if (this.#answered) return show(response, "again");
    this.#answered = true;
    this.#answer.resolve({ url, show: (page) => show(response, page) });
  }

  #hasState(url: URL): boolean {
    const [given = "", ...more] = url.searchParams.getAll("state");
    const [actual, expected] = [Buffer.from(given), Buffer.from(this.#options.state)];
    return more.length === 0 && actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}
