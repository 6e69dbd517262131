/** The frames of both files that are compared: of a segment and its context, or of the whole pair. */
import type { Side } from "../contract/request.ts";
import type { Source } from "../files/source.ts";
import type { Track } from "../media/track.ts";
import type { Pairing } from "../planning/pairing.ts";
import type { Segment } from "../planning/segment.ts";

export interface Compared {
  readonly sources: Readonly<Record<Side, Source>>;
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly pairing: Pairing;
  readonly segment: Segment;
}
