/** Limits that REST and gRPC share. */

/** A request id that a caller may choose; any other is replaced. */
export const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** Largest headers, names and values together. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** Time limit of a TLS handshake in milliseconds. */
export const HANDSHAKE_LIMIT_MS = 10_000;
/** Milliseconds for which a client may leave part of its response unread. */
export const UNREAD_LIMIT_MS = 60_000;
/**
 * Default retry delay of a refused caller in milliseconds: long enough not to overload, and short compared with a
 * score.
 */
export const RETRY_AFTER_MS = 1_000;
/** Upper bounds of request durations in the metrics, in seconds: probes take a millisecond, scores minutes. */
export const DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1800];
