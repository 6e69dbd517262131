/** The command `svc login`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { exitCodes } from "../platform/config/help.ts";
import { withFacts } from "../platform/config/help-page.ts";
import { PeopleCommand } from "./command.ts";
import { addAddressOptions, parseGiven } from "./connection/address.ts";
import { jsonOption } from "./connection/server.ts";
import { optional } from "./flags/optional.ts";
import { type LoginFlags, runLogin } from "./login/run.ts";
import { whole } from "./score/options.ts";

const DEFAULT_TIMEOUT_SECONDS = 300;
const MAX_TIMEOUT_SECONDS = 3600;
const MAX_PORT = 65_535;

const GUIDE = `
Examples:
  $ svc login --server controller.example:9090 --tls --issuer https://id.example --client-id svc-cli
  $ svc login --server controller.example:9090 --tls
      sign in again with the previous settings
  $ svc login --device --issuer https://id.example --client-id svc-cli
      sign in with a browser on another machine

The browser flow is used if a browser can be opened ($BROWSER, or a display), or with --port. Otherwise the device
flow is used, if the provider supports it. Register the client at the provider as a public client, without a secret,
with the redirect URI http://127.0.0.1/callback (any port) or with the device grant.

${exitCodes({
  0: "signed in: svc jobs, svc nodes and svc tenants use the session for this server only",
  2: "sign-in timed out, or the provider or the controller refused it",
  3: "the provider cannot be reached or failed",
  130: "stopped with Ctrl-C; no session is saved",
})}`;

export function loginCommand(): Command {
  const command = new PeopleCommand("svc login")
    .summary("sign in to a controller with your identity provider")
    .description(
      "Signs you in to a controller with your identity provider, in a browser. The session is saved in a file that only you can read, and is renewed automatically.",
    );
  addAddressOptions(command);
  for (const option of loginOptions()) command.addOption(option);
  return command
    .addOption(jsonOption("the session, without its tokens,"))
    .withGuide(GUIDE)
    .action((flags: LoginFlags) => runLogin(flags));
}

function loginOptions(): Option[] {
  return [
    optional("--issuer <url>", "identity provider, as in the iss claim of its tokens", "as last time")
      .env("SVC_LOGIN_ISSUER")
      .argParser(parseGiven),
    optional("--client-id <id>", "public client at the provider", "as last time")
      .env("SVC_LOGIN_CLIENT_ID")
      .argParser(parseGiven),
    optional(
      "--scope <scope>",
      "scopes to request, separated by spaces",
      "openid, plus offline_access if the provider lists it",
    )
      .env("SVC_LOGIN_SCOPE")
      .argParser(parseScope),
    optional("--audience <audience>", "audience to request; Auth0 issues no usable token without one", "none")
      .env("SVC_LOGIN_AUDIENCE")
      .argParser(parseGiven),
    optional("--organization <id>", "organization to sign in to (Auth0)", "none")
      .env("SVC_LOGIN_ORGANIZATION")
      .argParser(parseGiven),
    // Not with .env(): commander would turn the switch on for any value of the variable.
    new Option("--device", withFacts("sign in with a browser on another machine", "off", "SVC_LOGIN_DEVICE")),
    optional("--port <port>", "port on 127.0.0.1 for the browser's redirect, 1 to 65535", "a free one")
      .env("SVC_LOGIN_PORT")
      .argParser(whole(MAX_PORT)),
    new Option("--timeout <seconds>", `time to wait for the sign-in, 1 to ${MAX_TIMEOUT_SECONDS}`)
      .default(DEFAULT_TIMEOUT_SECONDS)
      .env("SVC_LOGIN_TIMEOUT")
      .argParser(whole(MAX_TIMEOUT_SECONDS)),
  ];
}

/** RFC 6749, appendix A.4. */
function parseScope(value: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value)) return value;
  throw new InvalidArgumentError("Separate scopes with one space.");
}
