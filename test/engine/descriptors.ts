/** Takes the descriptors of this process, to see it without. */
import { closeSync, openSync } from "node:fs";

/** Opens all but so many of the descriptors that are left; the function that it returns gives them back. */
export function takeDescriptors(free: number): () => void {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    for (const descriptor of held.splice(0, free)) closeSync(descriptor);
  }
  return () => {
    for (const descriptor of held.splice(0)) closeSync(descriptor);
  };
}
