/** Makes the empty database that installations are copied from: `node scripts/database.ts`, run by the install. */
import { makeEmptyDatabase } from "../src/store/database-files.ts";

await makeEmptyDatabase();
