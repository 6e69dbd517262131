/**
 * Checks the Host of requests, against DNS rebinding: a page whose name was pointed at this server has the server's
 * origin for the browser, and only the Host header reveals that the request is meant for another host. Without
 * `--allowed-hosts`, only one case is checked: a server without authentication that listens on loopback.
 */
import type { IncomingMessage } from "node:http";
import type { Server } from "node:net";
import { hostNameIn } from "../../platform/net/host-name.ts";
import { isLoopback, isLoopbackHost } from "../../platform/net/loopback.ts";
import { isProbe } from "../http/probes.ts";
import { HttpFault } from "../http/problem.ts";

/** Longest part of a caller's text that a response repeats, in characters. */
const MAX_REPEATED = 100;

export interface AllowedHostsOptions {
  /**
   * Allowed hosts in the form of hostNameOf, in addition to localhost and loopback addresses; empty if not
   * configured.
   */
  readonly allowedHosts: readonly string[];
  /** Whether authentication is disabled. */
  readonly isAnonymous: boolean;
}

export class AllowedHosts {
  readonly #named: ReadonlySet<string>;
  /** Whether only localhost and loopback addresses are accepted, although no hosts are configured. */
  #isForThisMachine = false;

  /** `server` must not listen yet. */
  constructor(server: Server, { allowedHosts, isAnonymous }: AllowedHostsOptions) {
    this.#named = new Set(allowedHosts);
    server.once("listening", () => {
      const address = server.address();
      this.#isForThisMachine =
        isAnonymous && typeof address === "object" && address !== null && isLoopback(address.address);
    });
  }

  /** Throws MISDIRECTED (421). A request without Host, which only HTTP/1.0 permits, does not come from a browser. */
  check({ headersDistinct, url = "/" }: IncomingMessage): void {
    const isNamed = this.#named.size > 0;
    if (!isNamed && !this.#isForThisMachine) return;
    // Orchestrators and load balancers send probes to addresses that are not known in advance.
    if (isNamed && isProbe(url)) return;
    const refused = headersDistinct["host"]?.find((host) => !this.#has(host));
    if (refused === undefined) return;
    const what = `The request is for the host ${JSON.stringify(refused.slice(0, MAX_REPEATED))}. `;
    throw new HttpFault(421, "MISDIRECTED", what + (isNamed ? ONLY_NAMED : ONLY_THIS_MACHINE));
  }

  /** Whether a host, with or without a port, is one of the configured hosts. */
  isNamed(host: string): boolean {
    return this.#named.has(hostNameIn(host) ?? "");
  }

  #has(host: string): boolean {
    return isLoopbackHost(host) || this.isNamed(host);
  }
}

const ONLY_NAMED =
  "This server only accepts requests for the hosts in --allowed-hosts, localhost and loopback addresses. " +
  "If this is a name of the server, add it to --allowed-hosts.";
const ONLY_THIS_MACHINE =
  "Authentication is disabled, so on loopback this server only accepts requests for localhost or a loopback address. " +
  "Have the proxy in front send the address that it connects to as Host, or add the host to --allowed-hosts.";
