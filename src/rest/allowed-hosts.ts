/**
 * Which hosts a request may be for. For a browser, a page whose name was pointed at this server (DNS rebinding) is of the
 * server's own origin, and only the Host of its requests says that they are not for us. Where it is not said which
 * hosts these are, it is known of one case alone: nobody is asked for a token, and only this machine is listened to.
 */
import type { IncomingMessage } from "node:http";
import type { Server } from "node:net";
import { hostNameIn } from "../platform/host-name.ts";
import { isLoopback, isLoopbackHost } from "../platform/loopback.ts";
import { isProbe } from "./probes.ts";
import { HttpFault } from "./problem.ts";

/** Characters of a caller's text that an answer repeats. */
const MOST_REPEATED = 100;

export interface AllowedHostsOptions {
  /** Hosts, in the notation of hostNameOf, beside localhost and loopback addresses; none: it is not said. */
  readonly allowedHosts: readonly string[];
  /** Whether nobody is asked for a token. */
  readonly asksNobody: boolean;
}

export class AllowedHosts {
  readonly #named: ReadonlySet<string>;
  /** Whether there are hosts that are not answered, though none is named. */
  #isForThisMachine = false;

  /** `server`: one that does not listen yet. */
  constructor(server: Server, { allowedHosts, asksNobody }: AllowedHostsOptions) {
    this.#named = new Set(allowedHosts);
    server.once("listening", () => {
      const address = server.address();
      this.#isForThisMachine =
        asksNobody && typeof address === "object" && address !== null && isLoopback(address.address);
    });
  }

  /** Throws MISDIRECTED (421). A request without a Host, which HTTP/1.0 knows, is of no browser. */
  check({ headersDistinct, url = "/" }: IncomingMessage): void {
    const isNamed = this.#named.size > 0;
    if (!isNamed && !this.#isForThisMachine) return;
    // Orchestrators and load balancers probe by addresses that nobody knows before.
    if (isNamed && isProbe(url)) return;
    const stranger = headersDistinct["host"]?.find((host) => !this.#has(host));
    if (stranger === undefined) return;
    const asked = `The request is for the host ${JSON.stringify(stranger.slice(0, MOST_REPEATED))}. `;
    throw new HttpFault(421, "MISDIRECTED", asked + (isNamed ? ONLY_NAMED : ONLY_THIS_MACHINE));
  }

  /** Whether a host, with a port or without, is one of those that were named. */
  isNamed(host: string): boolean {
    return this.#named.has(hostNameIn(host) ?? "");
  }

  #has(host: string): boolean {
    return isLoopbackHost(host) || this.isNamed(host);
  }
}

const ONLY_NAMED =
  "Only requests for the hosts of --allowed-hosts, localhost and loopback addresses are answered here. " +
  "If this is a name of the server, give it to --allowed-hosts as well.";
const ONLY_THIS_MACHINE =
  "Nobody is asked for a token here, so on loopback only requests for localhost or a loopback address are answered. " +
  "A proxy in front must send the address that it connects to as Host; or give the host to --allowed-hosts.";
