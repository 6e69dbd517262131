/** How a client is told that its controller speaks TLS: the same flags and variables for nodes and commands. */
import { createSecureContext, getCACertificates } from "node:tls";
import { Failure } from "../platform/failure.ts";
import { HELP_GROUPS } from "../platform/help-page.ts";
import { flagsOf, inGroup, type SettingValues, text, toggle } from "../platform/setting.ts";
import { readTlsFiles, type TlsFiles } from "../platform/tls-files.ts";
import { Tls } from "./tls.ts";

export const TLS_SETTINGS = inGroup(HELP_GROUPS.tls, {
  tls: toggle({
    flags: "--tls",
    help: "call the controller over TLS; --tls-ca and --tls-cert imply it",
  }),
  tlsCa: text({
    flags: "--tls-ca <file>",
    help: "PEM file of the authorities that may have signed the controller's certificate",
    shownDefault: "those that this machine trusts, and those of Node.js",
  }),
  tlsCert: text({
    flags: "--tls-cert <file>",
    help: "PEM file of a certificate to show to a controller that asks for one (--tls-client-ca)",
  }),
  tlsKey: text({
    flags: "--tls-key <file>",
    help: "PEM file of that certificate's private key, not encrypted",
  }),
} as const);

export type TlsSettings = SettingValues<typeof TLS_SETTINGS>;

/** What is wrong with the settings, as a sentence that names them; undefined: nothing. */
export function tlsSettingsFault({ tlsCert, tlsKey }: Partial<TlsSettings>): string | undefined {
  const flags = flagsOf({ "--tls-cert": tlsCert, "--tls-key": tlsKey });
  const [[given], [missing]] = [flags.given, flags.missing];
  return given === undefined || missing === undefined ? undefined : `${given} needs ${missing}: give both.`;
}

/**
 * What a connection to `address` ("host:port") is opened with by settings without a fault; undefined:
 * it is to be in clear. The files are read again whenever it is connected, so they may be replaced.
 * Throws INVALID_REQUEST when one of them cannot be used.
 */
export async function openTls(settings: Partial<TlsSettings>, address: string): Promise<Tls | undefined> {
  const files = filesOf(settings);
  if (!settings.tls && files.ca === undefined && files.pair === undefined) return undefined;
  const trusted = files.ca === undefined ? trustedHere() : undefined;
  const context = async () => {
    const { material, fault } = await readTlsFiles(files);
    if (material === undefined) throw new Failure("INVALID_REQUEST", `${fault}.`);
    return createSecureContext({ ca: trusted, ...material, minVersion: "TLSv1.2" });
  };
  await context();
  return new Tls(address, context);
}

/** Authorities that this machine trusts, and those that come with Node.js: a small container has none of its own. */
function trustedHere(): string[] {
  return [...new Set([...getCACertificates("system"), ...getCACertificates("default")])];
}

function filesOf({ tlsCa, tlsCert, tlsKey }: Partial<TlsSettings>): TlsFiles {
  return {
    ca: tlsCa === undefined ? undefined : { flag: "--tls-ca", path: tlsCa },
    pair:
      tlsCert === undefined || tlsKey === undefined
        ? undefined
        : { cert: { flag: "--tls-cert", path: tlsCert }, key: { flag: "--tls-key", path: tlsKey } },
  };
}
