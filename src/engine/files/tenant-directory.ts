/** Encodes a tenant's id as a directory name: one safe path component, unique for each id. */
import { hash } from "node:crypto";

/** In bytes. A file name may have 255, and a media root may add its own text before and after the tenant's. */
const MAX_LENGTH = 200;
/**
 * Characters that are not escaped. Capitals are: on a case-insensitive file system two tenants must not share a
 * directory.
 */
const PLAIN = /^[a-z0-9_-]$/;

/**
 * Returns the UTF-8 bytes of the id, with bytes outside [a-z0-9_-] as %HH: "acme" stays "acme", "Acme" becomes
 * "%41cme", and ".." becomes "%2E%2E". An empty id becomes "%". A name over 200 bytes becomes "%sha256-" and the
 * SHA-256 of the id's UTF-8 in hex. An id that is not valid Unicode becomes "%utf16-" and the SHA-256 of its UTF-16LE.
 */
export function tenantDirectory(tenant: string): string {
  if (tenant === "") return "%";
  if (!tenant.isWellFormed()) return `%utf16-${hash("sha256", Buffer.from(tenant, "utf16le"), "hex")}`;
  const name = Array.from(Buffer.from(tenant), escaped).join("");
  return name.length <= MAX_LENGTH ? name : `%sha256-${hash("sha256", tenant, "hex")}`;
}

function escaped(byte: number): string {
  const character = String.fromCharCode(byte);
  return PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
