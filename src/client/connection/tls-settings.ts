/** TLS settings of clients: the same flags and variables for nodes and commands. */
import { createSecureContext, getCACertificates } from "node:tls";
import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { flagsOf, inGroup, type SettingValues, text, toggle } from "../../platform/config/setting.ts";
import { Failure } from "../../platform/failure.ts";
import { readTlsFiles, type TlsFiles } from "../../platform/net/tls-files.ts";
import { Tls } from "./tls.ts";

export const TLS_SETTINGS = inGroup(HELP_GROUPS.tls, {
  tls: toggle({
    flags: "--tls",
    help: "call the controller over TLS; --tls-ca and --tls-cert imply it",
  }),
  tlsCa: text({
    flags: "--tls-ca <file>",
    help: "PEM file of the CAs that may have signed the controller's certificate",
    shownDefault: "the CAs that this machine or Node.js trusts",
  }),
  tlsCert: text({
    flags: "--tls-cert <file>",
    help: "PEM file of the client certificate, for a controller with --tls-client-ca",
  }),
  tlsKey: text({
    flags: "--tls-key <file>",
    help: "PEM file of that certificate's private key, unencrypted",
  }),
} as const);

export type TlsSettings = SettingValues<typeof TLS_SETTINGS>;

/** Returns what is wrong with the settings, as a sentence that names them; undefined if nothing is. */
export function tlsSettingsFault({ tlsCert, tlsKey }: Partial<TlsSettings>): string | undefined {
  const flags = flagsOf({ "--tls-cert": tlsCert, "--tls-key": tlsKey });
  const [[given], [missing]] = [flags.given, flags.missing];
  return given === undefined || missing === undefined ? undefined : `${given} needs ${missing}: give both.`;
}

/**
 * Returns the TLS setup for connections to `address` ("host:port"); undefined if the settings don't enable TLS. The
 * settings must be free of faults. The files are read again on every connection, so they may be replaced. Throws
 * INVALID_REQUEST if a file can't be used.
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

/** Returns the CAs that this machine trusts and those of Node.js: a small container has none of its own. */
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
