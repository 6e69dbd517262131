/** The position of a span in its trace, and its text form: `traceparent` of W3C Trace Context. */

export interface TraceContext {
  /** 32 lowercase hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lowercase hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** Whether spans of the trace are recorded. */
  readonly sampled: boolean;
}

/** Header in HTTP, metadata key in gRPC. */
export const TRACEPARENT = "traceparent";
/** Environment variable with which CI systems pass it to programs. */
export const TRACEPARENT_VARIABLE = "TRACEPARENT";

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Longest accepted text; later versions may append to the format. */
const MAX_CHARS = 256;
const SAMPLED = 1;

/**
 * Parses a `traceparent`. Returns undefined if it is missing or invalid, so that a new trace begins. Later versions are
 * read like this one, as the recommendation says (3.2.4). `tracestate` is not propagated.
 */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length > MAX_CHARS) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = FORM.exec(text) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function traceparentOf({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}
