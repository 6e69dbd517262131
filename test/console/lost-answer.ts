import type { Page } from "playwright-core";
import { PATIENCE_MS } from "../waiting.ts";

/** The first request to the addresses is done, and its answer lost on the way; later ones are as ever. */
export async function loseFirstAnswer(page: Page, addresses: string): Promise<void> {
  let asked = 0;
  await page.route(addresses, async (route) => {
    if (asked++ > 0) return route.continue();
    await route.fetch({ timeout: PATIENCE_MS });
    await route.abort();
  });
}
