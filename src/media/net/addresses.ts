/** Decides which addresses may be connected to. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Addresses that a storage in a private network may have: loopback, private and shared networks. Names of ranges are
 * those of ipaddr.js.
 */
const PRIVATE: readonly string[] = ["loopback", "private", "carrierGradeNat", "uniqueLocal"];
/**
 * Addresses of instance metadata that are not link-local: that of AWS over IPv6, and that of Alibaba Cloud.
 * They serve credentials.
 */
const METADATA: readonly string[] = ["fd00:ec2::254", "100.100.100.200"];
/** The IPv4-compatible form, ::a.b.c.d, which ipaddr.js does not list. Deprecated by RFC 4291. */
const COMPATIBLE = ipaddr.IPv6.parse("::");
const COMPATIBLE_BITS = 96;

/**
 * Whether an address may be connected to: one of the public internet or, with `privateNetwork`, also a
 * loopback or private one. Forms that contain or translate an IPv4 address (mapped, compatible, NAT64, 6to4,
 * Teredo) are never allowed, because a server with such an address also has its plain one. Link-local
 * addresses are not allowed either, because clouds serve metadata there.
 */
export function isAllowed(text: string, privateNetwork: boolean): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (METADATA.some((metadata) => ipaddr.parse(metadata).toString() === address.toString())) return false;
  const range = address.range();
  if (PRIVATE.includes(range)) return privateNetwork;
  if (address instanceof ipaddr.IPv6 && address.match(COMPATIBLE, COMPATIBLE_BITS)) return false;
  return range === "unicast";
}
