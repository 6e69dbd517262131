/**
 * Which hosts a request may be for, where nobody is asked for a token and only this machine is listened to. Its
 * browsers show pages of others: for a browser, one whose name was pointed at 127.0.0.1 (DNS rebinding) is of this
 * server's own origin, and only the Host of its requests says that they are not for us.
 */
import type { IncomingMessage } from "node:http";
import type { Server } from "node:net";
import { isLoopback, isLoopbackHost } from "../platform/loopback.ts";
import { HttpFault } from "./problem.ts";

/** Characters of a caller's text that an answer repeats. */
const MOST_REPEATED = 100;

export class LoopbackHosts {
  #isOnLoopback = false;

  /** `server`: one that does not listen yet. */
  constructor(server: Server) {
    server.once("listening", () => {
      const address = server.address();
      this.#isOnLoopback = typeof address === "object" && address !== null && isLoopback(address.address);
    });
  }

  /** Throws MISDIRECTED (421). A request without a Host, which HTTP/1.0 knows, is of no browser. */
  check({ headersDistinct }: IncomingMessage): void {
    const stranger = headersDistinct["host"]?.find((host) => !isLoopbackHost(host));
    if (!this.#isOnLoopback || stranger === undefined) return;
    throw new HttpFault(
      421,
      "MISDIRECTED",
      `The request is for the host ${JSON.stringify(stranger.slice(0, MOST_REPEATED))}. Nobody is asked for a token here, ` +
        "so on loopback only requests for localhost or a loopback address are answered. " +
        "A proxy in front must send the address that it connects to as Host; or listen on another address (--host).",
    );
  }
}
