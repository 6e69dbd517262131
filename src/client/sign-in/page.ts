/** The pages that the browser shows at the end of a sign-in. */
import type { ServerResponse } from "node:http";

const PAGES = {
  signedIn: [200, "Signed in", "You can close this window and continue in the terminal."],
  failed: [400, "Not signed in", "The terminal shows why. You can close this window."],
  again: [409, "Already answered", "The terminal shows the result. You can close this window."],
  forged: [400, "Not signed in", "This callback does not belong to a sign-in that svc is waiting for."],
  unknown: [404, "Not found", "svc is waiting for a sign-in here, and serves nothing else."],
} as const;

export type Page = keyof typeof PAGES;

/** Sends a page. Resolves when it is sent, or the browser is gone. */
export function show(response: ServerResponse, page: Page): Promise<void> {
  const [status, title, text] = PAGES[page];
  const { promise, resolve } = Promise.withResolvers<void>();
  response.on("close", resolve);
  if (response.destroyed) resolve();
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(
    `<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>${title} – svc</title>` +
      `<body style="font: 1.1rem system-ui, sans-serif; margin: 4rem auto; max-width: 32rem">` +
      `<h1>${title}</h1><p>${text}</p></body></html>\n`,
  );
  return promise;
}
