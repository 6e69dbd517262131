/** The controller's address and TLS options. */
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  openTls,
  TLS_SETTINGS,
  type TlsSettings,
  tlsSettingsFault,
} from "../../client/connection/tls-settings.ts";
import { HELP_GROUPS, withFacts } from "../../platform/config/help-page.ts";
import { type Setting, variableOf } from "../../platform/config/setting.ts";
import { Failure } from "../../platform/failure.ts";
import { optional } from "../flags/optional.ts";
import { switchVariable } from "../flags/switch-variable.ts";

export interface AddressFlags extends Partial<TlsSettings> {
  readonly server: string;
}

const DEFAULT_SERVER = "127.0.0.1:9090";
/** A host name or an IP address (IPv6 in brackets), and a port. */
const SERVER = /^([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.%]+\]):(\d{1,5})$/;
const MAX_PORT = 65_535;

export function serverOption(): Option {
  return new Option("--server <host:port>", "the controller's gRPC address")
    .default(DEFAULT_SERVER)
    .env("SVC_SERVER")
    .argParser(parseServer);
}

/** Adds --server and the TLS options. */
export function addAddressOptions(command: Command): Command {
  command.addOption(serverOption());
  const { tls, ...files } = TLS_SETTINGS;
  // Not with .env(): commander would turn the switch on for any value of the variable.
  const about = withFacts(tls.help, tls.shownDefault, variableOf(tls));
  command.addOption(new Option(tls.flags, about).helpGroup(HELP_GROUPS.tls));
  for (const setting of Object.values(files)) command.addOption(settingOption(setting));
  return command;
}

/**
 * Makes an option of a command from a setting that processes have too. `otherwise`: the default that the help shows.
 */
export function settingOption(setting: Setting<unknown>, otherwise = setting.shownDefault): Option {
  return optional(setting.flags, setting.help, otherwise)
    .env(variableOf(setting))
    .argParser(parseGiven)
    .helpGroup(setting.group ?? HELP_GROUPS.own);
}

/** Returns the TLS setup; undefined without TLS. Throws INVALID_REQUEST. */
export function tlsOf(flags: AddressFlags): ReturnType<typeof openTls> {
  const fault = tlsSettingsFault(flags);
  if (fault !== undefined) throw new Failure("INVALID_REQUEST", fault);
  return openTls({ ...flags, tls: flags.tls ?? switchVariable("SVC_TLS") }, flags.server);
}

export function parseGiven(value: string): string {
  if (value !== "") return value;
  throw new InvalidArgumentError("It is empty.");
}

function parseServer(value: string): string {
  const port = Number(SERVER.exec(value)?.[2] ?? 0);
  if (port >= 1 && port <= MAX_PORT) return value;
  throw new InvalidArgumentError(`Use HOST:PORT, for example ${DEFAULT_SERVER}.`);
}
