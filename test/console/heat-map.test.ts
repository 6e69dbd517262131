/** The heat map of stills, of a pair that differs in one block by a known value. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

/** The last row of blocks is cut: 90 lines are five blocks and a half. */
const SCENE = { width: 160, height: 90, frames: 50 };
/** The changed block: column 4, row 2. */
const CHANGED = { left: 64, top: 32 };
/** Limited range: 40 of 219 steps are 46.6 of 255. */
const STEPS = 40;
const DIFFERENCE = (STEPS * 255) / 219;
/** Stills are lossy. */
const LOSS = 4;

let directory: MediaDirectory;
let up: ControllerProcess;
let pages: Pages;
let id: string;

before(async () => {
  directory = await MediaDirectory.open();
  const { left, top } = CHANGED;
  const inside = `between(X,${left},${left + 15})*between(Y,${top},${top + 15})`;
  const luma = `lum(X,Y)+${inside}*if(lt(lum(X,Y),126),${STEPS},-${STEPS})`;
  // Grey, and neither dark nor bright: no sample leaves the range of RGB.
  const grey = "lutyuv=y=clip(val\\,60\\,190):u=128:v=128";
  const changed = `${grey},geq=lum='${luma}':cb=128:cr=128`;
  const reference = await pristine(directory, "reference.y4m", { ...SCENE, filters: grey });
  const distorted = await pristine(directory, "distorted.y4m", { ...SCENE, filters: changed });
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  const jobs = await JobsClient.of(up);
  pages = await Pages.open();
  id = (await jobs.submit({ reference, distorted })).body.id;
  await jobs.settled(id);
});
after(async () => {
  try {
    await pages[Symbol.asyncDispose]();
  } finally {
    await up[Symbol.asyncDispose]();
    await directory.remove();
  }
});

function opened(options: Parameters<Pages["page"]>[1] = {}): Promise<Page> {
  return pages.page(`${up.rest}/console/jobs/${id}?still=heat`, {
    viewport: { width: 1280, height: 1000 },
    ...options,
  });
}

/** The text of the selected block, once there is one. */
async function selected(page: Page): Promise<string> {
  return (await page.getByRole("status", { name: "Selected block" }).textContent()) ?? "";
}

function valueIn(text: string): number {
  return Number(/: ([\d.]+)/.exec(text)?.[1]);
}

/** Moves the pointer to a pixel of the picture. */
async function point(page: Page, x: number, y: number): Promise<void> {
  const picture = await page.locator(".pane .picture").boundingBox();
  assert.ok(picture);
  await page.mouse.move(
    picture.x + ((x + 0.5) / SCENE.width) * picture.width,
    picture.y + ((y + 0.5) / SCENE.height) * picture.height,
  );
}

async function click(page: Page, x: number, y: number): Promise<void> {
  await point(page, x, y);
  await page.mouse.down();
  await page.mouse.up();
}

function transforms(page: Page): Promise<readonly string[]> {
  return page.evaluate("[...document.querySelectorAll('.pane .picture')].map((one) => one.style.transform)");
}

test("names the changed block as the worst, with its value, and paints it with the last colour", async () => {
  const page = await opened();
  const text = await selected(page);
  assert.match(text, /^Block at x 64–79, y 32–47: [\d.]+ \(clipped\)$/);
  assert.ok(Math.abs(valueIn(text) - DIFFERENCE) < LOSS, text);
  const summary = await page.getByText(/^Mean [\d.]+; worst block at x 64–79, y 32–47: /).textContent();
  const mean = Number(/^Mean ([\d.]+)/.exec(summary ?? "")?.[1]);
  const share = 256 / (SCENE.width * SCENE.height);
  assert.ok(mean >= (DIFFERENCE - LOSS) * share && mean < DIFFERENCE * share + 1, summary ?? "");
  const painted = await page.evaluate<readonly (readonly number[])[]>(`(() => {
    const canvas = document.querySelector(".heat canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(at * 4, at * 4 + 3)]);
  })()`);
  assert.equal(painted.length, 10 * 6);
  const isLast = (colour: readonly number[]) => String(colour) === "252,255,164";
  assert.deepEqual(
    painted.flatMap((colour, at) => (isLast(colour) ? [at] : [])),
    [2 * 10 + 4],
  );
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("a click and Shift with arrow keys select other blocks, and a button returns to the worst", async () => {
  const page = await opened();
  await selected(page);
  await page.locator(".pane").scrollIntoViewIfNeeded();
  await click(page, 150, 85);
  await until(
    async () => (await selected(page)).startsWith("Block at x 144–159, y 80–89:"),
    "the cut block that was clicked",
  );
  const far = valueIn(await selected(page));
  assert.ok(far < LOSS, `${far}`);
  await page.getByRole("region", { name: /^Heat map, frame .* Shift and arrow keys select a block/ }).focus();
  await page.keyboard.press("Shift+ArrowRight");
  assert.match(await selected(page), /^Block at x 144–159, y 80–89:/, "the last column is not left");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowUp");
  await until(
    async () => (await selected(page)).startsWith("Block at x 128–143, y 64–79:"),
    "the block that the keys selected",
  );
  await page.getByRole("button", { name: "Worst block" }).click();
  await until(async () => (await selected(page)).startsWith("Block at x 64–79, y 32–47:"), "the worst block");
  // At 8×, a click still selects the block below it, and a drag selects none.
  await page.getByRole("button", { name: "8×" }).click();
  await page.getByText("800 %").waitFor();
  await click(page, 90, 40);
  await until(async () => (await selected(page)).startsWith("Block at x 80–95, y 32–47:"), "a zoomed block");
  const [before] = await transforms(page);
  await page.mouse.down();
  await point(page, 110, 50);
  await page.mouse.up();
  await until(async () => (await transforms(page))[0] !== before, "the picture to be dragged");
  assert.match(await selected(page), /^Block at x 80–95, y 32–47:/);
  await page.context().close();
});

test("the pointer reads other blocks; the selection stays, and is not announced again", async () => {
  const page = await opened();
  const text = await selected(page);
  await page.evaluate(`(() => {
    window.announced = 0;
    const changes = { childList: true, characterData: true, subtree: true };
    new MutationObserver(() => window.announced++).observe(document.querySelector(".heat-values output"), changes);
  })()`);
  await page.locator(".pane").scrollIntoViewIfNeeded();
  const hovered = page.locator(".heat-hovered");
  for (const [x, y, block] of [
    [150, 85, "x 144–159, y 80–89"],
    [8, 8, "x 0–15, y 0–15"],
  ] as const) {
    await point(page, x, y);
    await hovered.getByText(`Under the pointer: ${block}:`).waitFor();
  }
  const live = "document.querySelector('.heat-hovered').closest('[aria-live], output, [role=status]')";
  assert.equal(await page.evaluate(live), null);
  assert.equal(await page.locator(".heat-block").count(), 2, "both blocks are marked");
  await page.mouse.move(0, 0);
  await until(async () => (await hovered.textContent()) === "", "no block without the pointer");
  assert.equal(await selected(page), text);
  assert.equal(await page.evaluate("window.announced"), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("keys with Ctrl, Alt or Meta are left to the browser", async () => {
  const page = await opened();
  const text = await selected(page);
  const before = await transforms(page);
  await page.getByRole("region", { name: /^Heat map, frame/ }).focus();
  const prevented = await page.evaluate<readonly string[]>(`(() => {
    const pane = document.querySelector(".pane");
    return ["ctrlKey", "altKey", "metaKey"].flatMap((modifier) =>
      ["ArrowLeft", "ArrowUp", "+", "0"].filter((key) =>
        !pane.dispatchEvent(new KeyboardEvent("keydown", {
          key, [modifier]: true, shiftKey: true, bubbles: true, cancelable: true,
        }))));
  })()`);
  assert.deepEqual(prevented, []);
  assert.equal(await selected(page), text);
  assert.deepEqual(await transforms(page), before);
  await page.context().close();
});

test("a slider sets the opacity over the grey reference; nothing is wider than a phone", async () => {
  const page = await opened({ viewport: { width: 390, height: 800 }, colorScheme: "dark" });
  await selected(page);
  const opacity = () => page.evaluate("document.querySelector('.heat canvas').style.opacity");
  assert.equal(await opacity(), "0.7");
  await page.getByRole("slider", { name: "Opacity" }).fill("25");
  await until(async () => (await opacity()) === "0.25", "another opacity");
  assert.equal(
    await page.evaluate("getComputedStyle(document.querySelector('.heat img')).filter"),
    "grayscale(1)",
  );
  assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await smallTargets(page), []);
  await page.context().close();
});

test("says that there is no heat map if the browser hides the pixels of pictures", async () => {
  const page = await pages.page("about:blank");
  await page.addInitScript(`
    const read = CanvasRenderingContext2D.prototype.getImageData;
    CanvasRenderingContext2D.prototype.getImageData = function (...area) {
      const pixels = read.apply(this, area);
      pixels.data.fill(255);
      return pixels;
    };`);
  await page.goto(`${up.rest}/console/jobs/${id}?still=heat`);
  await page.getByText("The browser does not let this page read pictures. Use Difference.").waitFor();
  assert.equal(await page.locator(".heat canvas").count(), 0);
  await page.context().close();
});
