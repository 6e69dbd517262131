import type { LineSink } from "./lines.ts";

export function standardOutput(): LineSink {
  return {
    name: "standard output",
    write: (bytes, offset) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      process.stdout.write(bytes.subarray(offset), (error) =>
        error ? reject(error) : resolve(bytes.length),
      );
      return promise;
    },
    close: async () => {},
  };
}
