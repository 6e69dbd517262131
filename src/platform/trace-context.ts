/** Where a span stands in its trace, and the text that carries it: `traceparent` of W3C Trace Context. */

export interface TraceContext {
  /** 32 lowercase hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** Whether spans of the trace are recorded. */
  readonly sampled: boolean;
}

/** Header over HTTP, metadata over gRPC. */
export const TRACEPARENT = "traceparent";
/** The environment variable in which build servers hand it to programs. */
export const TRACEPARENT_VARIABLE = "TRACEPARENT";

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Nobody needs more to say what is read of it, whatever later versions add. */
const MOST_CHARS = 256;
const SAMPLED = 1;

/**
 * What a `traceparent` says; undefined: nothing that counts, so that a trace begins here. Later versions
 * are read as this one, as the recommendation asks (3.2.4); `tracestate` is not carried on.
 */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length > MOST_CHARS) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = FORM.exec(text) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function traceparentOf({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}
