/**
 * Validates URLs of an identity provider. They receive secrets and tokens, so plain http is allowed only on loopback.
 */

import { isLoopback } from "../../platform/net/loopback.ts";

/** Returns whether a text is an endpoint's URL: https, or http on loopback, without a user name or a #fragment. */
export function isProviderUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
