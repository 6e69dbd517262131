/** Drives Debian's Chromium. Any error or warning on a page fails the test. */
import assert from "node:assert/strict";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const EXECUTABLE = "/usr/bin/chromium";

export class Pages implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #complaints: string[] = [];

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** `more`: command-line switches of Chromium. */
  static async open(more: readonly string[] = []): Promise<Pages> {
    // Chromium's sandbox does not start as root; the tests open only their own pages.
    const args = ["--no-sandbox", "--disable-dev-shm-usage", ...more];
    return new Pages(await chromium.launch({ executablePath: EXECUTABLE, args, timeout: WAIT_LIMIT_MS }));
  }

  /** A page with a fresh profile. */
  async page(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(WAIT_LIMIT_MS);
    const page = await context.newPage();
    page.on("pageerror", (error) => this.#complaints.push(`error: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.#complaints.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  /** Closes all pages; call it before their server stops. */
  async closeAll(): Promise<void> {
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
  }

  /** Drops the expected complaints so far; others still fail the test. */
  expectComplaints(pattern: RegExp): void {
    const unexpected = this.#complaints.filter((text) => !pattern.test(text));
    this.#complaints.splice(0, this.#complaints.length, ...unexpected);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    assert.deepEqual(this.#complaints, [], "errors or warnings on the pages");
  }
}
