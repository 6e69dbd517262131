/** An upload to the directory or to a bucket. */

/** A file as the caller describes it before sending it. */
export interface NewUpload {
  readonly name: string;
  /** Bytes, 1 or more. */
  readonly size: number;
  readonly fingerprint: string;
}

export interface Upload extends NewUpload {
  readonly id: string;
  /** Stored bytes; for an upload in parts, those that the controller has seen. */
  readonly offset: number;
  /** The name of the complete file in jobs; undefined: the upload is incomplete. */
  readonly path: string | undefined;
  readonly createdMs: number;
  /** When its last byte arrived, or URLs of its parts were last asked for. */
  readonly changedMs: number;
  /** Set for an upload to a bucket. */
  readonly parts?: UploadParts;
}

export interface UploadParts {
  /** Bytes of each part but the last one. */
  readonly size: number;
  /** Numbers of the stored parts; empty if the storage was not asked. */
  readonly stored: readonly number[];
}

/** A part that its caller is about to send. */
export interface AskedPart {
  /** From 1. */
  readonly number: number;
  readonly sha256: Uint8Array;
}
