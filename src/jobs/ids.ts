/** Whether a text is an id of a job, a node, a piece of work or a revocation: a UUID as PostgreSQL writes it. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}
