/** Which addresses of an identity provider are called: secrets and tokens go there, so in clear only to this machine. */

import { isLoopback } from "../platform/loopback.ts";

/** Whether a text is the URL of an endpoint: https, or http on loopback, without a user name or a #fragment. */
export function isProviderUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
