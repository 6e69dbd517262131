/** TLS over a connection to a controller. */
import { isIP, type Socket } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";

/** Prefix of the error message of a failed TLS connection. */
export const TLS_FAILED = "TLS failed: ";

/**
 * Opens TLS connections. grpc-js would send an IP address as the server name (SNI), which TLS does not allow and
 * Node.js warns about on standard error. The certificate is verified against the host all the same.
 */
export class Tls {
  readonly #host: string;
  readonly #context: () => Promise<SecureContext>;

  /** `address`: "host:port". `context` is called for every connection. */
  constructor(address: string, context: () => Promise<SecureContext>) {
    this.#host = address.slice(0, address.lastIndexOf(":")).replace(/^\[(.*)\]$/, "$1");
    this.#context = context;
  }

  /** Rejects with an error whose message starts with TLS_FAILED. */
  async connect(socket: Socket): Promise<TLSSocket> {
    return this.#connect(socket, await this.#freshContext());
  }

  async #freshContext(): Promise<SecureContext> {
    try {
      return await this.#context();
    } catch (thrown) {
      throw new Error(`${TLS_FAILED}${Failure.from(thrown).message.replace(/\.$/, "")}`, { cause: thrown });
    }
  }

  #connect(socket: Socket, secureContext: SecureContext): Promise<TLSSocket> {
    const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
    const host = this.#host;
    const secured = connect(
      {
        socket,
        host,
        ...(isIP(host) === 0 && { servername: host }),
        secureContext,
        ALPNProtocols: ["h2"],
      },
      () => resolve(secured),
    );
    // The handler stays: the HTTP/2 session reports later errors.
    secured.on("error", (error) => reject(new Error(`${TLS_FAILED}${reasonOf(error)}`)));
    secured.on("close", () => reject(new Error(`${TLS_FAILED}the connection was closed`)));
    return promise;
  }
}

function reasonOf(error: Error): string {
  if (errorCode(error) === "ERR_SSL_WRONG_VERSION_NUMBER") return "the server does not speak TLS";
  const alert = /alert ([^:]+):/.exec(error.message)?.[1];
  if (alert === "no application protocol")
    return "the server does not offer HTTP/2, which gRPC needs: it may be the REST port";
  if (alert !== undefined) return `the server refused with "${alert}"`;
  // Node.js appends hints for programmers.
  return (error.message.split(/[;\n]/)[0] ?? "").trim();
}
