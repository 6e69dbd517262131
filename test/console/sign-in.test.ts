/** Signing in to the console of a controller that asks for tokens, with a real provider, in a real browser. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Page } from "playwright-core";
import {
  AUDIENCE,
  CONSOLE_CLIENT_ID,
  type PeopleOptions,
  PeopleProvider,
} from "../client/people-provider.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const READER = { claims: { tid: "acme", svc_roles: ["svc:reader"] } };

let dataDir: string;
let pages: Pages;
let provider: PeopleProvider;
let controller: ControllerProcess;

before(async () => {
  pages = await Pages.open();
});
after(() => pages[Symbol.asyncDispose]());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-sign-in-"));
});
afterEach(async () => {
  await pages.closeAll();
  await controller[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

async function start(options: PeopleOptions, scope = "openid"): Promise<void> {
  provider = await PeopleProvider.open(options);
  controller = await ControllerProcess.start({
    console: true,
    dataDir,
    auth: [
      ...["--jwks-endpoint", provider.jwksEndpoint, "--auth-issuer", provider.issuer],
      ...["--auth-audience", AUDIENCE, "--media-root", dataDir],
      ...["--console-oidc-issuer", provider.issuer, "--console-oidc-client-id", CONSOLE_CLIENT_ID],
      ...["--console-oidc-scope", scope],
    ],
  });
}

/** Answers as a token endpoint that gives no token. */
function refusing(error: string): (response: ServerResponse) => true {
  return (response) => {
    response.writeHead(400, { "content-type": "application/json", "access-control-allow-origin": "*" });
    response.end(JSON.stringify({ error }));
    return true;
  };
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The page of the nodes, which asks for them every two seconds, with a clock that the test moves on. */
async function polling(): Promise<Page> {
  const page = await pages.page("about:blank");
  await page.clock.install();
  await page.goto(`${controller.rest}/console/nodes`);
  await signIn(page);
  await page.getByText("alice · acme").waitFor();
  return page;
}

/** Everything that the browser keeps on its disk of the page. */
async function keptBy(page: Page): Promise<string> {
  return String(
    await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"),
  );
}

describe("somebody who may read", () => {
  test("signs in, comes back to the page asked for, stays signed in over a reload, and signs out", async () => {
    await start(READER);
    const page = await pages.page(`${controller.rest}/console/jobs?state=FAILED`);
    await page.getByText("You sign in with").waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await signIn(page);
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, "/console/jobs?state=FAILED");
    assert.doesNotMatch(await keptBy(page), /eyJ/, "tokens are in memory only");
    await page.reload();
    await page.getByText("alice · acme").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("sign-out from").waitFor();
    assert.equal(new URL(page.url()).origin, provider.issuer, "the provider asks whether it may forget, too");
    await page.goto(`${controller.rest}/console/`);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    // The provider's own page asks for a font of another's.
    pages.expectComplaints(/ERR_NAME_NOT_RESOLVED|404/);
  });

  test("is renewed silently while the provider does; when it refuses, nothing is sent any more until they sign in", async () => {
    // Shorter than the time before its end at which a token is renewed: every call renews it.
    await start({ ...READER, lifeSeconds: 15 }, "openid offline_access");
    const page = await polling();
    const before = provider.count("/token");
    await until(async () => {
      await page.clock.runFor(2_000);
      return provider.count("/token") > before;
    }, "a renewed token");
    let refused = 0;
    provider.watch = (path, response) => {
      response.on("finish", () => {
        if (path === "/token" && response.statusCode === 400) refused++;
      });
      return false;
    };
    await provider.withdraw();
    const over = page.getByRole("heading", { name: "Your session is over" });
    await until(async () => {
      await page.clock.runFor(2_000);
      return over.isVisible();
    }, "that it is told");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.clock.runFor(60_000);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.clock.runFor(10_000);
    assert.deepEqual([refused, sent], [1, []]);
    for (const key of ["Escape", "Escape", "Escape"]) await page.keyboard.press(key);
    await over.waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/nodes");
    pages.expectComplaints(/status of 40[01]/);
  });

  test("stays signed in while the provider cannot be reached, which is asked less and less often", async () => {
    await start({ ...READER, lifeSeconds: 15 }, "openid offline_access");
    const page = await polling();
    let isAway = true;
    provider.watch = (path, response) => isAway && path === "/token" && Boolean(response.destroy());
    const alert = page.getByRole("alert").filter({ hasText: "Your session could not be renewed" });
    await until(async () => {
      await page.clock.runFor(2_000);
      return alert.isVisible();
    }, "that it is told");
    // From here on time is the test's alone: a minute is one on a slow machine too.
    await page.clock.pauseAt(Number(await page.evaluate("Date.now()")) + 60_000);
    const before = provider.count("/token");
    for (let poll = 0; poll < 30; poll++) await page.clock.runFor(2_000);
    await until(() => provider.count("/token") > before, "that the provider is asked again");
    const asked = provider.count("/token") - before;
    assert.ok(asked < 10, `asked ${asked} times in a minute of 30 polls`);
    assert.equal(await page.getByRole("heading", { name: "Your session is over" }).count(), 0);
    isAway = false;
    await until(async () => {
      await page.clock.runFor(2_000);
      return !(await alert.isVisible());
    }, "a renewed token");
    await pages.closeAll();
    pages.expectComplaints(/net::ERR_EMPTY_RESPONSE|status of 40[01]/);
  });

  test("is told why a token is not renewed, and comes back to the same place after signing in again", async () => {
    await start({ ...READER, lifeSeconds: 15 }, "openid offline_access");
    const page = await pages.page(`${controller.rest}/console/jobs?state=FAILED`);
    await signIn(page);
    await page.getByText("alice · acme").waitFor();
    const over = page.getByRole("heading", { name: "Your session is over" });
    let answer = (response: ServerResponse): unknown => response.destroy();
    provider.watch = (path, response) => path === "/token" && Boolean(answer(response));
    const alert = page.getByRole("alert").filter({ hasText: "Your session could not be renewed" });
    /** The page need not wait for its own next try. */
    const told = (text: string) =>
      until(async () => {
        await page.evaluate("dispatchEvent(new Event('online'))");
        return alert.getByText(text).isVisible();
      }, text);
    await told("Failed to fetch");
    answer = refusing("server_error");
    await told("server_error");
    assert.equal(await over.count(), 0);
    // It is asked again by itself too: no answer comes before the button was there to be pressed.
    const held: ServerResponse[] = [];
    answer = (response) => held.push(response);
    await page.getByRole("button", { name: "Try again" }).click();
    await until(() => held.length > 0, "that it is asked again");
    answer = refusing("invalid_grant");
    for (const response of held) answer(response);
    await over.waitFor();
    provider.watch = () => false;
    await page.getByRole("button", { name: "Sign in again" }).click();
    await over.waitFor({ state: "detached" });
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, "/console/jobs?state=FAILED");
    await pages.closeAll();
    pages.expectComplaints(/net::ERR_EMPTY_RESPONSE|status of 40[01]/);
  });

  test("is asked for consent when signing in for long, and not by a reload", async () => {
    await start(READER, "openid offline_access");
    const page = await pages.page(`${controller.rest}/console/tenant`);
    const prompts: (string | null)[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/auth") prompts.push(searchParams.get("prompt"));
    });
    await signIn(page);
    await page.getByText("alice · acme").waitFor();
    await page.reload();
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/tenant");
    assert.deepEqual(prompts, ["consent", null]);
  });
});

test("somebody who may only read is offered nothing else, and another tenant's job is not theirs", async () => {
  const anothers = await jobOfDev();
  await start(READER);
  const page = await pages.page(`${controller.rest}/console/jobs`);
  await signIn(page);
  await page.getByText("No jobs yet").waitFor();
  assert.equal(await page.getByRole("button", { name: "Submit jobs" }).count(), 0);
  await page.goto(`${controller.rest}/console/jobs/${anothers}`);
  await page.getByRole("heading", { name: "You may not see this" }).waitFor();
  await page.getByText("WRONG_TENANT").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  pages.expectComplaints(/status of 403/);
});

/** A job that is there already, of a tenant that nobody here is of. */
async function jobOfDev(): Promise<string> {
  await using before = await ControllerProcess.start({ dataDir });
  const pair = { reference: join(dataDir, "r.mp4"), distorted: join(dataDir, "d.mp4") };
  return (await (await JobsClient.of(before)).submit(pair)).body.id;
}

test("somebody without a role is told which are missing", async () => {
  await start({ claims: { tid: "acme" } });
  const page = await pages.page(`${controller.rest}/console/`);
  await signIn(page);
  await page.getByRole("heading", { name: "You have no role here" }).waitFor();
  await page.getByText("svc:reader").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test("who is refused at the provider is told so, and a forged answer signs nobody in", async () => {
  await start(READER);
  provider.denies = true;
  const page = await pages.page(`${controller.rest}/console/`);
  await signIn(page);
  await page.getByText("Signing in did not work: The person said no").waitFor();
  await page.goto(`${controller.rest}/console/?code=forged&state=forged`);
  await page.getByText("Signing in did not work").waitFor();
  assert.equal(new URL(page.url()).search, "", "what was forged is not kept");
});

test("without a provider for the console it says how to set one up", async () => {
  provider = await PeopleProvider.open(READER);
  controller = await ControllerProcess.start({
    console: true,
    dataDir,
    auth: ["--jwks-endpoint", provider.jwksEndpoint, "--auth-issuer", provider.issuer],
  });
  const page = await pages.page(`${controller.rest}/console/`);
  await page.getByText("--console-oidc-issuer").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});
