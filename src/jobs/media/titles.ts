/** How jobs name titles: a whole title by its manifest, and a rendition of it by MANIFEST#RENDITION. */

export interface RenditionName {
  readonly manifest: string;
  /** Size and bit rate, such as "1280x720-2500k". */
  readonly rendition: string;
}

/** Maximum renditions of a title. */
export const MAX_RENDITIONS = 100;

const MANIFEST = /\.(m3u8|mpd)$/i;
const RENDITION = /^[\w.+-]{1,100}$/;

/** Whether a file is a manifest of HLS or DASH, by its name. */
export function isManifest(name: string): boolean {
  return MANIFEST.test(name);
}

/** Whether a text can name a rendition in its title. */
export function isRendition(text: string): boolean {
  return RENDITION.test(text);
}

/** Parses the name of a rendition; undefined for any other name. */
export function renditionName(name: string): RenditionName | undefined {
  const hash = name.lastIndexOf("#");
  const [manifest, rendition] = [name.slice(0, Math.max(0, hash)), name.slice(hash + 1)];
  return isManifest(manifest) && isRendition(rendition) ? { manifest, rendition } : undefined;
}
