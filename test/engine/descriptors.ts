/** Exhausts the file descriptors of this process. */
import { closeSync, openSync } from "node:fs";

/** Opens all remaining descriptors except `free`. The returned function closes them again. */
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
