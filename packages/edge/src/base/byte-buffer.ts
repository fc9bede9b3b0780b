const none: Uint8Array<ArrayBuffer> = new Uint8Array();

/**
 * Collects bytes that arrive in pieces. It copies each piece, because a list of pieces of one byte would take three
 * hundred times as much memory as the bytes.
 */
export class ByteBuffer {
  #bytes = none;
  #size = 0;

  /** How many bytes there are. */
  get size(): number {
    return this.#size;
  }

  add(piece: Uint8Array): void {
    const size = this.#size + piece.byteLength;
    if (size > this.#bytes.byteLength) {
      // at least doubled, so that many pieces are not copied again and again
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.byteLength));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#size);
    this.#size = size;
  }

  /** Returns all bytes, and removes them. */
  take(): Uint8Array<ArrayBuffer> {
    const whole = this.#bytes.subarray(0, this.#size);
    this.#bytes = none;
    this.#size = 0;
    return whole;
  }
}
