/** The address of the API server, and the client's credentials. */

/** Credentials for the API server. Read for each request, because they are renewed on disk. */
export interface Identity {
  /** Certificates that may sign the server's certificate, PEM; undefined: those of the system. */
  readonly ca?: string | undefined;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** Client certificate and private key, PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface Access {
  /** "https://HOST:PORT", followed by a path if the server is below one; no trailing slash. */
  readonly server: string;
  /** Name in the server's certificate if it differs from the host of its URL. */
  readonly serverName?: string | undefined;
  /** The default namespace; undefined if none is configured. */
  readonly namespace: string | undefined;
  /** Throws AccessError if one of its files cannot be read. */
  readonly identity: () => Promise<Identity>;
}

/** The API server cannot be called because its address or the credentials are missing; the message says what to do. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}
