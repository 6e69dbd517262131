import type { Page } from "playwright-core";

/**
 * Requests to the URLs fail until the button is pressed. Automatic retries fail too, so that the button stays there to
 * be pressed.
 */
export async function silentUntilPressed(page: Page, addresses: string, button: string): Promise<void> {
  let isPressed = false;
  await page.exposeFunction("reportPressed", () => {
    isPressed = true;
  });
  const listen = `addEventListener("click", ({ target }) => {
    if (target.closest("button")?.textContent.trim() === ${JSON.stringify(button)}) reportPressed();
  }, { capture: true })`;
  await page.addInitScript(listen);
  await page.evaluate(listen);
  await page.route(addresses, (route) => (isPressed ? route.continue() : route.abort()));
}
