/** Where a node keeps the objects that it fetches. */
import { join, resolve } from "node:path";
import { integer, text } from "../../platform/config/setting.ts";
import { userFolder } from "../../platform/config/user-folder.ts";
import type { MediaCacheSettings } from "../../worker/media/node-media.ts";

const GIB = 2 ** 30;

export const MEDIA_CACHE_SETTINGS = {
  mediaCache: text({
    flags: "--media-cache <dir>",
    help: "directory for videos that are fetched from storages; nodes of one machine can share it, each uses a folder of its own",
    shownDefault: "$XDG_CACHE_HOME/svc/media, or ~/.cache/svc/media",
  }),
  mediaCacheSize: integer({
    flags: "--media-cache-size <gib>",
    help: "largest size of these videos in GiB; must have room for both videos of each running task",
    fallback: 50,
    min: 1,
    max: 1_000_000,
  }),
} as const;

/** Returns the directory and the limit in bytes. */
export function mediaCacheIn(
  {
    mediaCache,
    mediaCacheSize,
  }: { readonly mediaCache: string | undefined; readonly mediaCacheSize: number },
  environment: NodeJS.ProcessEnv,
): MediaCacheSettings {
  const directory = resolve(mediaCache ?? join(userFolder(environment, "XDG_CACHE_HOME"), "media"));
  return { directory, maxBytes: mediaCacheSize * GIB };
}
