/** The tables of the schema. One that a migration adds has its place here. */

/** What callers and nodes put in: it moves with the installation to another database. */
export const CONTENT_TABLES = [
  "job",
  "work",
  "piece",
  "still",
  "node",
  "audit",
  "revocation",
  "event",
] as const;
export type ContentTable = (typeof CONTENT_TABLES)[number];

/** What a database says of itself: every installation makes its own. */
const OWN_TABLES = ["installation", "migration", "revocation_revision"] as const;

export const TABLES = [...CONTENT_TABLES, ...OWN_TABLES];
