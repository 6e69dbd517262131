/** What REST and gRPC allow their callers alike. */

/** An id that a caller gives its request; every other one is replaced. */
export const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** Bytes of names and values. */
export const MOST_HEADER_BYTES = 16 * 1024;
/** Milliseconds in which a client must have finished its TLS handshake. */
export const HANDSHAKE_LIMIT_MS = 10_000;
/** Milliseconds that a client may leave a part of its answer unread. */
export const UNREAD_LIMIT_MS = 60_000;
/** Milliseconds until a refused caller may ask again, where nobody knows better: long enough not to hammer, short beside any score. */
export const RETRY_AFTER_MS = 1_000;
/** Upper bounds of a request's duration in the metrics, in seconds: probes take a millisecond, scores minutes. */
export const DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1800];
