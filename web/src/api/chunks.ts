/** Iterates over the chunks of a stream; Safari's streams are not async iterable. */

/** Leaving the loop early, or by an exception, cancels the stream. */
export async function* chunksOf<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // A stream that has ended or failed has nothing to cancel, and its error has already reached the loop.
    await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
