/** Connections to the TLS ports of a server, made by hand. */
import { once } from "node:events";
import { request } from "node:https";
import { type ConnectionOptions, connect } from "node:tls";
import { soon } from "./svc-process.ts";

/** Whom a client trusts, and what it shows: PEM. */
export type Identity = Pick<
  ConnectionOptions,
  "ca" | "cert" | "key" | "minVersion" | "maxVersion" | "ciphers"
>;

export interface SecureAnswer {
  readonly status: number | undefined;
  readonly body: string;
}

/** A GET on a connection of its own. Throws what the connection fails with. */
export async function getSecurely(url: string, identity: Identity): Promise<SecureAnswer> {
  const sent = request(url, { ...identity, agent: false });
  sent.end();
  const [response] = await soon(once(sent, "response"), url);
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

/** The common name of the certificate that a new connection to "host:port" is shown. */
export async function nameShown(
  address: string,
  protocol: "h2" | "http/1.1",
  identity: Identity,
): Promise<string> {
  const { hostname: host, port } = new URL(`https://${address}`);
  const socket = connect({ host, port: Number(port), ALPNProtocols: [protocol], ...identity });
  try {
    await soon(once(socket, "secureConnect"), `a TLS connection to ${address}`);
    if (socket.alpnProtocol !== protocol) throw new Error(`${address} speaks ${socket.alpnProtocol}`);
    return String(socket.getPeerCertificate().subject.CN);
  } finally {
    socket.destroy();
  }
}
