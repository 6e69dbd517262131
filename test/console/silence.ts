import type { Page } from "playwright-core";

/**
 * Requests to the addresses get no answer until somebody presses the button: a page that tries again
 * by itself finds nobody, so that the button is there to be pressed.
 */
export async function silentUntilPressed(page: Page, addresses: string, button: string): Promise<void> {
  let isPressed = false;
  await page.exposeFunction("tellPressed", () => {
    isPressed = true;
  });
  const listen = `addEventListener("click", ({ target }) => {
    if (target.closest("button")?.textContent.trim() === ${JSON.stringify(button)}) tellPressed();
  }, { capture: true })`;
  await page.addInitScript(listen);
  await page.evaluate(listen);
  await page.route(addresses, (route) => (isPressed ? route.continue() : route.abort()));
}
