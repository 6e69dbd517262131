/** Hosts as requests and settings write them. */
import { isIPv4, isIPv6 } from "node:net";

/**
 * Labels of letters, digits, "-" and "_", as DNS and containers have them; the dot of the root may end them. What
 * ends in a number is an address to every browser, and never a name.
 */
const NAME = /^([\w-]{1,63}\.)*(?!\d+\.?$)[\w-]{1,63}\.?$/;

/**
 * The host of what a request's Host says, with a port or without, in the one notation in which hosts can be compared:
 * in lower case, without the dot of the root, and an IPv6 address in brackets and as short as it can be.
 * undefined: it says none.
 */
export function hostNameIn(host: string): string | undefined {
  const [, written = ""] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host) ?? [];
  const name = written.toLowerCase().replace(/\.$/, "");
  return name === "" ? undefined : shortened(name);
}

/** A host as somebody names it, without a port, in the notation of hostNameIn; undefined: it is none. */
export function hostNameOf(written: string): string | undefined {
  const [, address = written] = /^\[(.*)\]$/.exec(written) ?? [];
  // An address with a zone is of a link, and in no Host.
  if (isIPv6(address)) return address.includes("%") ? undefined : hostNameIn(`[${address}]`);
  return isIPv4(written) || NAME.test(written) ? hostNameIn(written) : undefined;
}

function shortened(name: string): string {
  const url = `http://${name}`;
  return /^\[[\da-f:.]+\]$/.test(name) && URL.canParse(url) ? new URL(url).hostname : name;
}
