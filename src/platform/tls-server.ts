/** A server that speaks TLS, whatever it speaks inside. */
import type { Server, TlsOptions } from "node:tls";
import type { Certificate } from "./certificate.ts";
import { HANDSHAKE_LIMIT_MS } from "./transport-limits.ts";

/** The server that `make` makes of the options; its new connections get the certificate that counts when they begin. */
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
