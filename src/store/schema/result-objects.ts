/** Columns of objects of the results storage. */
import type { ResultObject } from "../contract/result-store.ts";

/** SQL of the columns of `result_object as stored`, which may be missing. */
export const OBJECT =
  "stored.key as object_key, stored.bytes as object_bytes, stored.digests as object_digests";

export interface ObjectColumns {
  readonly object_key: string | null;
  readonly object_bytes: number | null;
  readonly object_digests: Uint8Array | null;
}

/** Returns the object of a row; undefined: the row refers to none. */
export function objectOf(row: ObjectColumns): ResultObject | undefined {
  const { object_key: key, object_bytes: bytes, object_digests: digests } = row;
  if (key === null || bytes === null || digests === null) return undefined;
  return { key, bytes, digests };
}

const CONTENT = ["rows", "object_id", "first_byte", "bytes"];
/** SQL of the columns of the content of a chunk of scores. */
export const CHUNK = CONTENT.join(", ");
/** SQL of the content of a copied piece, which shares its object. */
export const COPIED_CHUNK = CONTENT.map((column) => `piece.${column}`).join(", ");
