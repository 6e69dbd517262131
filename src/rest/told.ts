/** What a service answers with. */

/** It answers with the thing that it was asked about, such as a "job": to have none is a fault of ours. */
export function present<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new TypeError(`the service told no ${name}`);
  return thing;
}
