/** The server below REST when it speaks TLS. */
import type { RequestListener } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { Certificate } from "../platform/certificate.ts";

/** HTTP/1.1 over TLS; new connections get the certificate that counts when they begin. */
export function secureServer(
  certificate: Certificate,
  options: ServerOptions,
  handler: RequestListener,
): Server {
  const server = createServer(
    {
      ...options,
      ...certificate.context,
      ALPNProtocols: ["http/1.1"],
      requestCert: certificate.asksClients,
      rejectUnauthorized: certificate.asksClients,
    },
    handler,
  );
  certificate.onRenewed((context) => server.setSecureContext(context));
  return server;
}
