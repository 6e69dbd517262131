/** A TLS server for any protocol. */
import type { Server, TlsOptions } from "node:tls";
import type { Certificate } from "./certificate.ts";
import { HANDSHAKE_LIMIT_MS } from "./transport-limits.ts";

/** Creates a server with `make`. New connections use the certificate that is current when they begin. */
export function tlsServer<Made extends Server>(
  certificate: Certificate,
  protocol: "http/1.1" | "h2",
  make: (options: TlsOptions) => Made,
): Made {
  const server = make({
    ...certificate.context,
    ALPNProtocols: [protocol],
    requestCert: certificate.asksClients,
    rejectUnauthorized: certificate.asksClients,
    handshakeTimeout: HANDSHAKE_LIMIT_MS,
  });
  certificate.onRenewed((context) => server.setSecureContext(context));
  return server;
}
