/** SeaweedFS, a store of objects that speaks S3; tests of storages run it. */
import { fromPypi, type PypiProgram } from "./pypi.ts";

export const SEAWEEDFS: PypiProgram = { name: "seaweedfs", program: "weed" };

/** Returns the path of the program; installs it first if necessary. */
export function seaweedfs(): Promise<string> {
  return fromPypi(SEAWEEDFS);
}
