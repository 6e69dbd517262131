/** The pieces of a stream as they come: Safari's streams cannot be iterated over by themselves. */

/** Whoever ends the loop early, or is thrown out of it, cancels the stream. */
export async function* chunksOf<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // Of one that has ended or broken there is nothing to cancel, and nobody to tell that it broke.
    await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
