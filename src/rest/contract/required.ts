/** Checks responses of the services. */

/** Returns the requested thing, such as a "job". A service that returns none has a bug. */
export function required<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new TypeError(`the service returned no ${name}`);
  return thing;
}
