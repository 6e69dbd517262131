/** Runs work concurrently that is only useful if all of it succeeds. */
import type { Side } from "../contract/request.ts";

type Work<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Returns all results. If one fails, the others are aborted and awaited, because
 * they still use their files and directories.
 */
export async function allOrAbort<T extends readonly unknown[]>(
  signal: AbortSignal,
  works: { readonly [K in keyof T]: Work<T[K]> },
): Promise<T> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  let first: { readonly error: unknown } | undefined;
  const results = await Promise.all(
    works.map((work) =>
      work(either).catch((error: unknown) => {
        first ??= { error };
        failed.abort();
      }),
    ),
  );
  if (first !== undefined) throw first.error;
  return results as unknown as T;
}

/** Works on both sides concurrently. */
export async function bothSides<T>(
  signal: AbortSignal,
  work: (side: Side, signal: AbortSignal) => Promise<T>,
): Promise<Readonly<Record<Side, T>>> {
  const [reference, distorted] = await allOrAbort<[T, T]>(signal, [
    (either) => work("reference", either),
    (either) => work("distorted", either),
  ]);
  return { reference, distorted };
}
