/** Whether a text has the form of a job, node, task or revocation id: a UUID as PostgreSQL writes it. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}
