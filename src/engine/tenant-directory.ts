/** A tenant's id as the name of a directory: one harmless path component, another one for every id. */
import { hash } from "node:crypto";

/** Bytes: a file's name may have 255, and a media root may have text of its own around the tenant's. */
const MAX_LENGTH = 200;
/** What stands for itself. No capitals: on a file system that takes "A" for "a" two tenants must not meet. */
const PLAIN = /^[a-z0-9_-]$/;

/**
 * The bytes of the id's UTF-8, those outside [a-z0-9_-] as %HH: "acme" is itself, "Acme" is "%41cme",
 * ".." is "%2E%2E". What would be empty is "%", what would be over 200 bytes is "%sha256-" and the
 * SHA-256 of the UTF-8 in hex; "%utf16-" is before that of an id that is no valid Unicode (UTF-16LE).
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
