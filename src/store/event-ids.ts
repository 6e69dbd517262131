/**
 * Ids of events as callers get them: places in the order of all tenants' events, sealed. To callers an id tells
 * nothing, neither when it was given nor how many others were; nor can they make one. The same place has the same
 * id at every controller.
 *
 * An id is one block of AES, the place, and 8 bytes by which it is known again: those that begin the block sealed
 * once more, with another key. Places are all of one size and each is sealed the same every time, so a block
 * needs no mode and no nonce: only equal places have equal blocks.
 */
import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  type Decipheriv,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto";

/** A place in the order of events: after the event of that position and id. */
export interface Place {
  /** xid8, as text. */
  readonly pos: string;
  readonly id: number;
}

const KEY_BYTES = 16;
const BLOCK_BYTES = 16;
const PROOF_BYTES = 8;
const FORM = /^[A-Za-z0-9_-]{32}$/;

export class EventIds {
  /** The installation's: ids of one before mean nothing in it. */
  readonly epoch: string;
  readonly #seal: Cipheriv;
  readonly #unseal: Decipheriv;
  readonly #prove: Cipheriv;

  /** @param secret of the installation */
  constructor(epoch: string, secret: Uint8Array) {
    this.epoch = epoch;
    const keys = Buffer.from(hkdfSync("sha256", secret, epoch, "svc event ids", 2 * KEY_BYTES));
    const [places, proofs] = [keys.subarray(0, KEY_BYTES), keys.subarray(KEY_BYTES)];
    this.#seal = createCipheriv("aes-128-ecb", places, null).setAutoPadding(false);
    this.#unseal = createDecipheriv("aes-128-ecb", places, null).setAutoPadding(false);
    this.#prove = createCipheriv("aes-128-ecb", proofs, null).setAutoPadding(false);
  }

  idOf(place: Place): string {
    return this.idsOf([place])[0] ?? "";
  }

  /** Of each in order; many at once cost little more than one. */
  idsOf(places: readonly Place[]): readonly string[] {
    const blocks = Buffer.alloc(BLOCK_BYTES * places.length);
    for (const [n, { pos, id }] of places.entries()) {
      blocks.writeBigUInt64BE(BigInt(pos), BLOCK_BYTES * n);
      blocks.writeBigUInt64BE(BigInt(id), BLOCK_BYTES * n + BLOCK_BYTES / 2);
    }
    const sealed = this.#seal.update(blocks);
    const proofs = this.#prove.update(sealed);
    const text = Buffer.alloc(BLOCK_BYTES + PROOF_BYTES);
    return places.map((_, n) => {
      const at = BLOCK_BYTES * n;
      sealed.copy(text, 0, at, at + BLOCK_BYTES);
      proofs.copy(text, BLOCK_BYTES, at, at + PROOF_BYTES);
      return text.toString("base64url");
    });
  }

  /** undefined: a text that is no id of this installation. */
  placeOf(text: string): Place | undefined {
    if (!FORM.test(text)) return undefined;
    const bytes = Buffer.from(text, "base64url");
    const sealed = bytes.subarray(0, BLOCK_BYTES);
    const proof = this.#prove.update(sealed).subarray(0, PROOF_BYTES);
    if (!timingSafeEqual(bytes.subarray(BLOCK_BYTES), proof)) return undefined;
    const block = this.#unseal.update(sealed);
    return {
      pos: String(block.readBigUInt64BE()),
      id: Number(block.readBigUInt64BE(BLOCK_BYTES / 2)),
    };
  }
}
