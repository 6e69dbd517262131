/** The TLS settings of a server. */

import { HELP_GROUPS } from "../../platform/config/help-page.ts";
import { flagsOf, inGroup, type SettingValues, text, UsageError } from "../../platform/config/setting.ts";
import type { CertificateOptions } from "../../platform/net/certificate.ts";

export const SERVER_TLS_SETTINGS = inGroup(HELP_GROUPS.tls, {
  tlsCert: text({
    flags: "--tls-cert <file>",
    help: "PEM file of the certificate for REST and gRPC, followed by its intermediates; reloaded when it changes",
    shownDefault: "none, both ports are without TLS",
  }),
  tlsKey: text({
    flags: "--tls-key <file>",
    help: "PEM file of the unencrypted private key; reloaded when it changes",
  }),
  tlsClientCa: text({
    flags: "--tls-client-ca <file>",
    help: "PEM file of CAs; clients of both ports, including probes, must present a certificate signed by one of them. Reloaded when it changes",
    shownDefault: "none, clients need no certificate",
  }),
} as const);

export type ServerTlsSettings = SettingValues<typeof SERVER_TLS_SETTINGS>;

/** Returns the files to use; undefined: no TLS. Throws UsageError if a flag is missing. */
export function tlsFiles({
  tlsCert,
  tlsKey,
  tlsClientCa,
}: ServerTlsSettings): CertificateOptions["files"] | undefined {
  if (tlsCert === undefined && tlsKey === undefined && tlsClientCa === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    const { missing } = flagsOf({ "--tls-cert": tlsCert, "--tls-key": tlsKey });
    throw new UsageError(
      `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing. TLS needs --tls-cert and --tls-key.`,
    );
  }
  return {
    pair: { cert: { flag: "--tls-cert", path: tlsCert }, key: { flag: "--tls-key", path: tlsKey } },
    ca: tlsClientCa === undefined ? undefined : { flag: "--tls-client-ca", path: tlsClientCa },
  };
}
