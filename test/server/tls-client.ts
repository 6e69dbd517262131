/** Raw connections to the TLS ports of a server. */
import { once } from "node:events";
import { request } from "node:https";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { withTimeout } from "../waiting.ts";

/** The trusted CA and the certificate of a client, in PEM. */
export type Identity = Pick<
  ConnectionOptions,
  "ca" | "cert" | "key" | "session" | "minVersion" | "maxVersion" | "ciphers"
>;

export interface SecureAnswer {
  readonly status: number | undefined;
  readonly body: string;
}

/** A GET on its own connection. Throws the error of the connection. */
export async function getSecurely(url: string, identity: Identity): Promise<SecureAnswer> {
  const sent = request(url, { ...identity, agent: false });
  sent.end();
  const [response] = await withTimeout(once(sent, "response"), url);
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

type Protocol = "h2" | "http/1.1";

function dial(address: string, protocol: Protocol, identity: Identity): TLSSocket {
  const { hostname: host, port } = new URL(`https://${address}`);
  return connect({ host, port: Number(port), ALPNProtocols: [protocol], ...identity });
}

/** The common name of the server certificate on a new connection to "host:port". */
export async function nameShown(address: string, protocol: Protocol, identity: Identity): Promise<string> {
  const socket = dial(address, protocol, identity);
  try {
    await withTimeout(once(socket, "secureConnect"), `a TLS connection to ${address}`);
    if (socket.alpnProtocol !== protocol) throw new Error(`${address} speaks ${socket.alpnProtocol}`);
    return String(socket.getPeerCertificate().subject.CN);
  } finally {
    socket.destroy();
  }
}

/** Returns a session to resume, which a gRPC server issues to accepted clients. Throws if it closes the connection. */
export async function sessionOf(address: string, identity: Identity): Promise<Buffer> {
  const socket = dial(address, "h2", identity);
  const closed = once(socket, "close").then(() => {
    throw new Error(`${address} issued no session`);
  });
  try {
    const [session] = await withTimeout(Promise.race([once(socket, "session"), closed]), "a session");
    return session;
  } finally {
    closed.catch(() => {});
    socket.destroy();
  }
}

/** Whether a gRPC server resumes the session, without requesting the certificate again. */
export async function isResumed(address: string, identity: Identity & { session: Buffer }): Promise<boolean> {
  const socket = dial(address, "h2", identity);
  try {
    await withTimeout(once(socket, "secureConnect"), `a TLS connection to ${address}`);
    return socket.isSessionReused();
  } finally {
    socket.on("error", () => {});
    socket.destroy();
  }
}
