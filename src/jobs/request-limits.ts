/** Limits of requests and jobs. Every interface applies them: REST, gRPC, the command line and the console. */

/** A name, never a path: it is used to look up model files, and becomes part of a command. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Models in one pass of the scorer. */
export const MAX_MODELS = 8;
/** PATH_MAX of Linux in bytes: a longer path cannot be opened. */
export const MAX_PATH_BYTES = 4096;
/** Largest n with which only every n-th frame is scored. */
export const MAX_SUBSAMPLE = 1000;
/**
 * Segments of a plan and units of an estimate; 14 hours in segments of ten seconds. Moving segment boundaries
 * to cheaper frames can double the number, and a list of twice as many still fits into a message.
 */
export const MAX_SEGMENTS = 5000;
/** Half width of the interval of an estimate, in points of the score. */
export const MIN_TOLERANCE = 0.05;
export const MAX_TOLERANCE = 10;
/** Pixels of a raw video in either direction. */
export const MAX_SIDE_PIXELS = 16_384;
/** Bits per sample in which a video can be encoded. */
export const MIN_BIT_DEPTH = 8;
export const MAX_BIT_DEPTH = 16;
/** Characters of a scorer's version; longer than that of any program. */
export const MAX_SCORER_VERSION = 200;
export const PIXEL_FORMAT = /^[a-z0-9]{1,32}$/;
/** Runs of frames that a request can list. */
export const MAX_RUNS = 10_000;
/** The largest number of a frame, and the largest count of frames, in either direction. */
export const MAX_FRAME = 2 ** 31 - 1;
/** A number or a fraction. */
export const FRAME_RATE = /^(\d{1,6}(\.\d{1,6})?|\d{1,9}\/\d{1,9})$/;

/** Bytes of an upload in one message of gRPC, which may have 4 MiB. */
export const MAX_UPLOAD_PART = 2 * 1024 * 1024;
/** Bytes of the name of an uploaded file. File systems allow 255. */
export const MAX_UPLOAD_NAME = 200;
/** Characters of the fingerprint by which a caller finds an upload again. */
export const MAX_UPLOAD_FINGERPRINT = 200;

/** Characters of a job's name. */
export const MAX_JOB_NAME = 200;
/** A job's priority is a whole number from minus this to this. */
export const MAX_PRIORITY = 100;
/** Labels of a job or of a filter. */
export const MAX_LABELS = 32;
export const LABEL_KEY = /^[A-Za-z0-9._/-]{1,63}$/;
/** Characters of a label's value. */
export const MAX_LABEL_VALUE = 255;
/** Jobs that one request can submit. */
export const MAX_BATCH = 1000;
/** Ids that one request can name to cancel or delete jobs. */
export const MAX_CHANGED = 10_000;
/** Cells of a comparison: 30 clips by 6 rungs by 8 encoders are 1,440. */
export const MAX_CELLS = 2000;
/** Characters of a ladder's or a clip's name. */
export const MAX_CELL_NAME = 100;
