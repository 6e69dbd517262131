/** The command `svc login`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { exitCodes } from "../platform/help.ts";
import { withFacts } from "../platform/help-page.ts";
import { PeopleCommand } from "./command.ts";
import { type LoginFlags, runLogin } from "./login/run.ts";
import { optional } from "./optional.ts";
import { whole } from "./options.ts";
import { jsonOption } from "./server.ts";
import { addAddressOptions, parseGiven } from "./server-address.ts";

const DEFAULT_TIMEOUT_SECONDS = 300;
const MAX_TIMEOUT_SECONDS = 3600;
const MAX_PORT = 65_535;

const GUIDE = `
Examples:
  $ svc login --server controller.example:9090 --tls --issuer https://id.example --client-id svc-cli
  $ svc login --server controller.example:9090 --tls
      again, as the last time
  $ svc login --device --issuer https://id.example --client-id svc-cli
      with a browser on another machine

The browser flow is used where a browser can be opened ($BROWSER, or a display), or with --port. Else it is the
device flow, where the provider has it. The client must be registered at the provider as a public one, without
a secret, with http://127.0.0.1/callback (any port) to be redirected to, or with the device grant.

${exitCodes({
  0: "you are signed in: svc jobs, svc nodes and svc tenants use the session for this server, and no other",
  2: "nobody signed in in time, or the provider or the controller refused",
  3: "the provider cannot be reached, or failed",
  130: "stopped with Ctrl-C; nothing is kept",
})}`;

export function loginCommand(): Command {
  const command = new PeopleCommand("svc login")
    .summary("sign in to a controller with your identity provider")
    .description(
      "Signs you in to a controller with your identity provider, in a browser. The session is kept in a file that only you can read, and renewed.",
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
    optional("--issuer <url>", "the identity provider, as its tokens' iss says", "as the last time")
      .env("SVC_LOGIN_ISSUER")
      .argParser(parseGiven),
    optional("--client-id <id>", "client of the provider that people sign in with", "as the last time")
      .env("SVC_LOGIN_CLIENT_ID")
      .argParser(parseGiven),
    optional(
      "--scope <scope>",
      "scope to ask for, several with spaces between",
      "openid, and offline_access where the provider lists it",
    )
      .env("SVC_LOGIN_SCOPE")
      .argParser(parseScope),
    optional("--audience <audience>", "audience to ask for; Auth0 gives no usable token without", "none")
      .env("SVC_LOGIN_AUDIENCE")
      .argParser(parseGiven),
    optional("--organization <id>", "organization to sign in to, at Auth0", "none")
      .env("SVC_LOGIN_ORGANIZATION")
      .argParser(parseGiven),
    // Not by .env(): a switch would be on whatever its variable says.
    new Option("--device", withFacts("sign in with a browser on another machine", "off", "SVC_LOGIN_DEVICE")),
    optional(
      "--port <port>",
      "port on 127.0.0.1 that the browser brings the answer to, 1 to 65535",
      "a free one",
    )
      .env("SVC_LOGIN_PORT")
      .argParser(whole(MAX_PORT)),
    new Option("--timeout <seconds>", `how long to wait for you, 1 to ${MAX_TIMEOUT_SECONDS}`)
      .default(DEFAULT_TIMEOUT_SECONDS)
      .env("SVC_LOGIN_TIMEOUT")
      .argParser(whole(MAX_TIMEOUT_SECONDS)),
  ];
}

/** RFC 6749, appendix A.4. */
function parseScope(value: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value)) return value;
  throw new InvalidArgumentError("Use words with one space between.");
}
