/** The interactive part of a sign-in: the instructions, and opening the browser. */

import type { Grant, SignInOptions } from "../../client/session/session.ts";
import { signInByBrowser } from "../../client/sign-in/browser.ts";
import { type DeviceCode, hasDeviceFlow, signInByDevice } from "../../client/sign-in/device.ts";
import type { Provider } from "../../client/sign-in/provider.ts";
import { browserCommand, openBrowser } from "../../platform/open-browser.ts";
import { printable } from "../terminal/escape.ts";
import { printAddress, printSentence } from "./output.ts";

/** The flow chosen on the command line. */
export interface FlowChoice {
  readonly device: boolean;
  /** Port for the browser flow; giving it selects that flow. */
  readonly port: number | undefined;
}

export interface SignIn extends SignInOptions {
  readonly flow: FlowChoice;
  readonly signal: AbortSignal;
}

/** Throws Failure, or the signal's reason. */
export function signIn(provider: Provider, { flow, ...options }: SignIn): Promise<Grant> {
  const browser = browserCommand(process.env, process.platform);
  const isSeen = browser !== undefined || flow.port !== undefined;
  if (flow.device || (!isSeen && hasDeviceFlow(provider))) {
    return signInByDevice(provider, { ...options, onCode });
  }
  return signInByBrowser(provider, {
    ...options,
    port: flow.port ?? 0,
    onUrl: (url) => showAddress(url, browser),
    onForged: () => {
      printSentence("Rejected a callback that does not belong to your sign-in. Still waiting for you …");
    },
  });
}

function showAddress(url: string, browser: readonly string[] | undefined): void {
  if (browser === undefined) {
    printSentence("To sign in, open this address in a browser on this machine:");
  } else {
    printSentence("To sign in, use the browser that is opening, or open this address on this machine:");
    openBrowser(browser, url, () =>
      printSentence("The browser could not be opened. Open the address yourself."),
    );
  }
  printAddress(url);
  printSentence("Waiting for you … (Ctrl-C to stop)");
}

function onCode({ url, userCode, completeUrl }: DeviceCode): void {
  printSentence("To sign in, open this address on any device:");
  printAddress(url);
  printSentence(`and enter the code ${printable(userCode)}`);
  if (completeUrl !== undefined) {
    printSentence("or open this address, which includes the code:");
    printAddress(completeUrl);
  }
  printSentence("Waiting for you … (Ctrl-C to stop)");
}
