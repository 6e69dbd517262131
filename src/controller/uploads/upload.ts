/** An upload, wherever its bytes are. */

/** What a caller says of a file before it sends it. */
export interface NewUpload {
  readonly name: string;
  /** Bytes, 1 or more. */
  readonly size: number;
  readonly fingerprint: string;
}

export interface Upload extends NewUpload {
  readonly id: string;
  /** Bytes that are stored; of one in parts, as far as they have been seen. */
  readonly offset: number;
  /** How jobs name the complete file; undefined: it is incomplete. */
  readonly path: string | undefined;
  readonly createdMs: number;
  /** When its last byte arrived, or URLs of its parts were last asked for. */
  readonly changedMs: number;
  /** Only of an upload to a bucket. */
  readonly parts?: UploadParts;
}

export interface UploadParts {
  /** Bytes of each part but the last one. */
  readonly size: number;
  /** Numbers of those that are there; empty for one that was not looked at. */
  readonly stored: readonly number[];
}

/** A part that its caller is about to send. */
export interface AskedPart {
  /** From 1. */
  readonly number: number;
  readonly sha256: Uint8Array;
}
