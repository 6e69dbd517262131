/** Where the API server is, and what shows it who asks. */

/** What is shown to the API server; read anew for each request, because it is renewed on disk. */
export interface Identity {
  /** Certificates that the server's own may be signed with, PEM; undefined: those of the system. */
  readonly ca?: string | undefined;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** Certificate and private key of the client, PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface Access {
  /** "https://HOST:PORT", and a path if the server is below one; no slash at the end. */
  readonly server: string;
  /** Name in the server's certificate, where it is not the host of its URL. */
  readonly serverName?: string | undefined;
  /** The namespace that is meant where none is named; undefined: nobody says. */
  readonly namespace: string | undefined;
  /** Throws AccessError when a file of it cannot be read. */
  readonly identity: () => Promise<Identity>;
}

/** The API server cannot be asked, because it is not known where it is or who asks; the message says what to do. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}
