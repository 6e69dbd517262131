/** How the gRPC server proves who it is. */
import { ServerCredentials } from "@grpc/grpc-js";
import type { Certificate } from "../platform/certificate.ts";

/** Milliseconds in which a client must have finished its handshake. */
const HANDSHAKE_LIMIT_MS = 10_000;

/** undefined: in clear. */
export function serverCredentials(certificate: Certificate | undefined): ServerCredentials {
  return certificate === undefined
    ? ServerCredentials.createInsecure()
    : new FollowedCredentials(certificate);
}

/** New connections get the certificate that counts when they begin. */
class FollowedCredentials extends ServerCredentials {
  constructor(certificate: Certificate) {
    super(
      {
        requestCert: certificate.asksClients,
        rejectUnauthorized: certificate.asksClients,
        handshakeTimeout: HANDSHAKE_LIMIT_MS,
      },
      certificate.context,
    );
    certificate.onRenewed((context) => this.updateSecureContextOptions(context));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
