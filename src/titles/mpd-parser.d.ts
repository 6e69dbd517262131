/** The part of mpd-parser 1.4 that is used; it has no types of its own. */
declare module "mpd-parser" {
  interface Range {
    readonly offset: number | bigint;
    readonly length: number | bigint;
  }

  interface Part {
    readonly resolvedUri: string;
    readonly byterange?: Range;
  }

  interface Segment extends Part {
    readonly duration: number;
    readonly map?: Part;
    readonly discontinuity?: boolean;
  }

  interface Playlist {
    readonly attributes: {
      readonly NAME?: string;
      readonly BANDWIDTH?: number;
      readonly CODECS?: string;
      readonly RESOLUTION?: { readonly width: number; readonly height: number };
    };
    /** Absent if it has none. */
    readonly segments?: readonly Segment[];
    /** Set if the file has an index (SegmentBase): the segments are not read. */
    readonly sidx?: Part;
    readonly contentProtection?: object;
  }

  /** Throws Error for text that is no MPD. */
  export function parse(
    text: string,
    options: { readonly manifestUri: string; readonly eventHandler?: (event: object) => void },
  ): { readonly playlists: readonly Playlist[] };
}
