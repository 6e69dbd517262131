/** The programs and options that probing and decoding a file need. */
export interface ProbeContext {
  /** Path of ffmpeg; undefined if there is none: only y4m and raw video can be read then. */
  readonly ffmpeg: string | undefined;
  readonly isolation: readonly string[];
  /** Whether probing also hashes the packets, so that the content of a track is known. Default: false. */
  readonly hashPackets?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** The context of work that needs an ffmpeg. */
export type DecodeContext = ProbeContext & { readonly ffmpeg: string };
