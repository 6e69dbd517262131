/**
 * Creates the empty database that new embedded databases are copied from: `node scripts/database.ts`, run by the
 * install.
 */
import { makeEmptyDatabase } from "../src/store/embedded/database-files.ts";

await makeEmptyDatabase();
