/**
 * Event ids as callers see them: encrypted positions in the order of all tenants' events. An id reveals neither
 * when it was issued nor how many other events there are, and callers cannot forge one. The same position has the
 * same id at every controller.
 *
 * An id is one AES block, the encrypted position, followed by an 8-byte authentication tag: the first bytes of that
 * block encrypted again with another key. Positions have a fixed size and encryption is deterministic, so a single
 * block needs no mode and no nonce: only equal positions have equal blocks.
 */
import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  type Decipheriv,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto";

/** A position in the order of events: after the event with this pos and id. */
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
  /** The epoch of the installation; ids of another epoch are invalid. */
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

  /** Returns the ids of places, in order. A batch costs little more than one. */
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

  /** Decodes an id; undefined if it is not an id of this installation. */
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
