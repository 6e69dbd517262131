/** Runs work on several items concurrently. */

/**
 * Yields each item with its result, in the order of the items; throws the first failure. `atOnce`: maximum
 * number of items in progress.
 */
export async function* inOrder<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<readonly [T, R]> {
  const running: Promise<R>[] = [];
  let next = 0;
  try {
    for (const item of items) {
      for (; next < items.length && running.length < atOnce; next++) {
        const result = work(items[next] as T);
        // The result is awaited later, in its turn; until then, a failure must not be reported as unhandled.
        result.catch(() => {});
        running.push(result);
      }
      yield [item, await (running.shift() as Promise<R>)];
    }
  } finally {
    await Promise.allSettled(running);
  }
}
