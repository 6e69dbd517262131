/** Runs work while no other process of this machine runs work of the same name; waits for its turn. */
export function alone<Outcome>(name: string, work: () => Promise<Outcome>): Promise<Outcome>;
