/** Parses and normalizes host names in requests and settings. */
import { isIPv4, isIPv6 } from "node:net";

/**
 * Labels of letters, digits, "-" and "_", as used by DNS and containers, optionally with the trailing dot of the root.
 * A host that ends in a number is not a name: browsers treat it as an address.
 */
const NAME = /^([\w-]{1,63}\.)*(?!\d+\.?$)[\w-]{1,63}\.?$/;

/**
 * Returns the host of a Host header, which may have a port, in a comparable form: in lower case, without a trailing
 * dot, an IPv6 address in brackets and in its shortest form. undefined: the header has no host.
 */
export function hostNameIn(host: string): string | undefined {
  const [, written = ""] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host) ?? [];
  const name = written.toLowerCase().replace(/\.$/, "");
  return name === "" ? undefined : shortened(name);
}

/** Returns a host without a port in the form of hostNameIn; undefined if it is invalid. */
export function hostNameOf(written: string): string | undefined {
  const [, address = written] = /^\[(.*)\]$/.exec(written) ?? [];
  // An address with a zone is local to a link and never occurs in a Host header.
  if (isIPv6(address)) return address.includes("%") ? undefined : hostNameIn(`[${address}]`);
  return isIPv4(written) || NAME.test(written) ? hostNameIn(written) : undefined;
}

function shortened(name: string): string {
  const url = `http://${name}`;
  return /^\[[\da-f:.]+\]$/.test(name) && URL.canParse(url) ? new URL(url).hostname : name;
}
