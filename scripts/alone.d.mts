/** Runs work while no other process of this machine runs work of the same name; waits until then. */
export function alone<Outcome>(name: string, work: () => Promise<Outcome>): Promise<Outcome>;
