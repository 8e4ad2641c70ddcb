/** Bits of a filter, as a power of two: 4 KB. */
const BITS = 15
const MULTIPLIER = 0x9e_37_79_b1
/** Bytes in a sequence. */
const SEQUENCE = 4

/**
 * A Bloom filter of all sequences of four bytes in some texts: rules out texts that cannot occur in
 * them, without storing them.
 */
export class TextFilter {
  readonly #bits = new Uint32Array(2 ** (BITS - 5))

  add(text: Uint8Array): void {
    let sequence = 0
    for (let n = 0; n < text.length; n += 1) {
      sequence = (sequence << 8) | (text[n] ?? 0)
      if (n < SEQUENCE - 1) continue
      const bit = bitOf(sequence)
      this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31))
    }
  }

  /** False where a text is in none that was added; true, mostly, where it is. */
  mayHave(text: Uint8Array): boolean {
    let sequence = 0
    for (let n = 0; n < text.length; n += 1) {
      sequence = (sequence << 8) | (text[n] ?? 0)
      if (n < SEQUENCE - 1) continue
      const bit = bitOf(sequence)
      if (((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false
    }
    return true
  }
}

function bitOf(sequence: number): number {
  return Math.imul(sequence, MULTIPLIER) >>> (32 - BITS)
}
