/** Timestamps in requests. */
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { invalid } from "../../platform/failure.ts";

const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** Returns milliseconds since 1970. Throws INVALID_REQUEST, which names the field. */
export function millisecondsOf(field: string, time: Timestamp): number {
  const ms = timestampMs(time);
  if (ms >= FIRST_MS && ms <= LAST_MS) return ms;
  throw invalid(`${field} is not a time in the years 1 to 9999.`);
}
