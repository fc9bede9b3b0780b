/** Collects bytes that arrive in pieces. */
export type ByteBuffer = {
  /** How many bytes there are. */
  readonly size: number;
  add(bytes: Uint8Array): void;
  /** Returns all bytes, and removes them. */
  take(): Uint8Array<ArrayBuffer>;
};

/**
 * Creates an empty buffer. It copies each piece, because a list of pieces of one byte would take three hundred times as much
 * memory as the bytes.
 */
export function createByteBuffer(): ByteBuffer {
  let buffer = new Uint8Array();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(bytes) {
      const needed = size + bytes.byteLength;
      if (needed > buffer.byteLength) {
        // at least doubled, so that many pieces are not copied again and again
        const larger = new Uint8Array(Math.max(needed, 2 * buffer.byteLength));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(bytes, size);
      size = needed;
    },
    take() {
      const whole = buffer.subarray(0, size);
      buffer = new Uint8Array();
      size = 0;
      return whole;
    },
  };
}
