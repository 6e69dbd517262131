/** Sets up the certificate of a server. */
import type { Registry } from "prom-client";
import type { Audit } from "../../audit/audit.ts";
import type { Phase } from "../../platform/concurrency/lifecycle.ts";
import { UsageError } from "../../platform/config/setting.ts";
import { Certificate, CertificateError } from "../../platform/net/certificate.ts";
import type { Log } from "../../platform/observability/log.ts";
import { type ServerTlsSettings, tlsFiles } from "./tls-settings.ts";

const STOP_LIMIT_MS = 1_000;

export interface Transport {
  /** undefined: no TLS. */
  readonly certificate: Certificate | undefined;
  /** Stops watching the files. */
  readonly phases: readonly Phase[];
}

/** Changes are loaded after `certificate.start()`. Throws UsageError if the settings or the files cannot be used. */
export async function openTls(
  settings: ServerTlsSettings,
  { log, registry, audit }: { readonly log: Log; readonly registry: Registry; readonly audit: Audit },
): Promise<Transport> {
  const files = tlsFiles(settings);
  if (files === undefined) return { certificate: undefined, phases: [] };
  const certificate = await open({
    ...{ files, log, registry },
    changed: (outcome) => audit.system("system/certificate", { target: files.pair.cert.path, outcome }),
  });
  const run = () => certificate.stop();
  return { certificate, phases: [{ name: "stop watching the certificate", limitMs: STOP_LIMIT_MS, run }] };
}

async function open(options: Parameters<typeof Certificate.open>[0]): Promise<Certificate> {
  try {
    return await Certificate.open(options);
  } catch (thrown) {
    if (thrown instanceof CertificateError) throw new UsageError(thrown.message);
    throw thrown;
  }
}
