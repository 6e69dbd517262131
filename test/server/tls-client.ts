/** Connections to the TLS ports of a server, made by hand. */
import { once } from "node:events";
import { request } from "node:https";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { soon } from "../waiting.ts";

/** Whom a client trusts, and what it shows: PEM. */
export type Identity = Pick<
  ConnectionOptions,
  "ca" | "cert" | "key" | "session" | "minVersion" | "maxVersion" | "ciphers"
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

type Protocol = "h2" | "http/1.1";

function dial(address: string, protocol: Protocol, identity: Identity): TLSSocket {
  const { hostname: host, port } = new URL(`https://${address}`);
  return connect({ host, port: Number(port), ALPNProtocols: [protocol], ...identity });
}

/** The common name of the certificate that a new connection to "host:port" is shown. */
export async function nameShown(address: string, protocol: Protocol, identity: Identity): Promise<string> {
  const socket = dial(address, protocol, identity);
  try {
    await soon(once(socket, "secureConnect"), `a TLS connection to ${address}`);
    if (socket.alpnProtocol !== protocol) throw new Error(`${address} speaks ${socket.alpnProtocol}`);
    return String(socket.getPeerCertificate().subject.CN);
  } finally {
    socket.destroy();
  }
}

/** A session to resume, which a gRPC server gives to those whom it lets in. Throws when it closes the connection. */
export async function sessionOf(address: string, identity: Identity): Promise<Buffer> {
  const socket = dial(address, "h2", identity);
  const closed = once(socket, "close").then(() => {
    throw new Error(`${address} gives no session`);
  });
  try {
    const [session] = await soon(Promise.race([once(socket, "session"), closed]), "a session");
    return session;
  } finally {
    closed.catch(() => {});
    socket.destroy();
  }
}

/** Whether a gRPC server goes on with the session, and asks for no certificate again. */
export async function isResumed(address: string, identity: Identity & { session: Buffer }): Promise<boolean> {
  const socket = dial(address, "h2", identity);
  try {
    await soon(once(socket, "secureConnect"), `a TLS connection to ${address}`);
    return socket.isSessionReused();
  } finally {
    socket.on("error", () => {});
    socket.destroy();
  }
}
