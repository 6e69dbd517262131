import type { Page } from "playwright-core";
import { WAIT_LIMIT_MS } from "../waiting.ts";

/** Carries out the first request to the URLs but drops its response; later requests pass. */
export async function loseFirstAnswer(page: Page, addresses: string): Promise<void> {
  let asked = 0;
  await page.route(addresses, async (route) => {
    if (asked++ > 0) return route.continue();
    await route.fetch({ timeout: WAIT_LIMIT_MS });
    await route.abort();
  });
}
