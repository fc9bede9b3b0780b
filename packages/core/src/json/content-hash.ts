import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical.ts';

/**
 * Returns the SHA-256 of a value as canonical JSON, in hexadecimal. Not by `crypto.subtle`, which a page without
 * HTTPS does not have.
 */
export function hashOf(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
