/** The tables of the schema. A table added by a migration must be listed here. */

/** Tables with the data of callers and nodes; they are copied when an installation moves to another database. */
export const CONTENT_TABLES = [
  "job",
  "work",
  "sample",
  "result_object",
  "piece",
  "still",
  "clip",
  "clip_piece",
  "comparison",
  "comparison_cell",
  "upload",
  "upload_part",
  "node",
  "audit",
  "revocation",
  "event",
] as const;
export type ContentTable = (typeof CONTENT_TABLES)[number];

/** Tables with facts of the database itself; every installation creates its own. */
const OWN_TABLES = ["installation", "migration", "revocation_revision"] as const;

export const TABLES = [...CONTENT_TABLES, ...OWN_TABLES];
