/**
 * Finds the HTTP/2 session of a socket that a library owns. Node.js publishes each stream together with its session.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Http2Session, Http2Stream } from "node:http2";

type OnStream = (stream: Http2Stream, session: Http2Session) => void;

/** Set on the socket itself: a session exposes its socket only through a proxy object. */
const FOLLOWER = Symbol("follows the HTTP/2 session on this socket");

interface Followed {
  [FOLLOWER]?: OnStream;
}

for (const side of ["client", "server"]) subscribe(`http2.${side}.stream.created`, announce);

/**
 * Calls `onSession` when the first stream is created on a socket, and calls the function it returns for that stream and
 * every later one, before the session emits "stream". A session without streams is not noticed.
 */
export function followSession(
  socket: object,
  onSession: (session: Http2Session) => (stream: Http2Stream) => void,
): void {
  follow(socket, (stream, session) => {
    const onStream = onSession(session);
    follow(socket, onStream);
    onStream(stream);
  });
}

function follow(socket: object, onStream: OnStream): void {
  const followed: Followed = { [FOLLOWER]: onStream };
  Object.assign(socket, followed);
}

function announce(message: unknown): void {
  const { stream } = message as { readonly stream: Http2Stream };
  const { session } = stream;
  if (session !== undefined && !session.destroyed) (session.socket as Followed)[FOLLOWER]?.(stream, session);
}
