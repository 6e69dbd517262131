/**
 * Connects only to allowed addresses. A name is resolved once per connection, all of its addresses are
 * checked, and the connection is made to one of them: a second look-up could return others (DNS rebinding).
 */
import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Agent } from "undici";
import { isAllowed } from "./addresses.ts";
import { Refusal } from "./refusal.ts";

/** Milliseconds to connect, including TLS. */
const CONNECT_MS = 10_000;
/** Milliseconds until the first byte of a response, and between two parts of its body. */
const SILENCE_MS = 20_000;
/** Milliseconds that an unused connection stays open. */
const KEEP_ALIVE_MS = 10_000;
/** Connections to a host at a time. */
const CONNECTIONS = 32;
const MAX_HEADER_BYTES = 16 * 1024;

/** Finds the addresses of a host name. */
export type Resolve = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const systemResolve: Resolve = (host, done) =>
  lookup(host, { all: true }, (error, addresses) => done(error, error === null ? addresses : []));

/**
 * Opens connections; `privateNetwork` allows loopback and private addresses. Close it after use. The library
 * is loaded only here: it takes a tenth of a second, and most processes do not connect to a storage.
 */
export async function guardedAgent(
  privateNetwork: boolean,
  resolve: Resolve = systemResolve,
): Promise<Agent> {
  const { Agent, buildConnector } = await import("undici");
  const connect = buildConnector({
    timeout: CONNECT_MS,
    lookup: guardedLookup(privateNetwork, resolve) as LookupFunction,
  });
  return new Agent({
    connect: (options, done) => {
      // A host that is an address is not looked up.
      const host = options.hostname.replace(/^\[|\]$/g, "");
      if (isIP(host) !== 0 && !isAllowed(host, privateNetwork)) done(forbidden(), null);
      else connect(options, done);
    },
    connections: CONNECTIONS,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    pipelining: 1,
  });
}

type LookupDone = (error: Error | null, address: string | readonly LookupAddress[], family?: number) => void;

/** One forbidden address is enough: a host that has one is misconfigured or hostile. */
function guardedLookup(privateNetwork: boolean, resolve: Resolve) {
  return (host: string, { all }: { readonly all?: boolean }, done: LookupDone): void => {
    resolve(host, (error, addresses) => {
      const [first] = addresses;
      if (error !== null) done(error, []);
      else if (first === undefined) done(new Error("the host has no address"), []);
      else if (addresses.some(({ address }) => !isAllowed(address, privateNetwork))) done(forbidden(), []);
      else if (all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function forbidden(): Refusal {
  return new Refusal("its host has an address in a network that may not be connected to");
}
