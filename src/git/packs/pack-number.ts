/** A number of which each byte but the last has its highest bit set; the first one may hold less. */
export function readNumber(
  bytes: Uint8Array,
  at: number,
  bitsOfFirst: number,
): { readonly value: number; readonly next: number } {
  let next = at
  let byte = bytes[next++] ?? 0
  let value = byte & (2 ** bitsOfFirst - 1)
  for (let unit = 2 ** bitsOfFirst; (byte & 0x80) !== 0; unit *= 128) {
    byte = bytes[next++] ?? 0
    value += (byte & 0x7f) * unit
  }
  return { value, next }
}

/** The bytes of such a number; the first one has room for something else above its bits. */
export function numberBytes(value: number, bitsOfFirst: number): [number, ...number[]] {
  const unit = 2 ** bitsOfFirst
  const rest = Math.floor(value / unit)
  if (rest === 0) return [value]
  return [(value % unit) | 0x80, ...numberBytes(rest, 7)]
}

/** The distance to the base of a delta: encoded as a number, but with the highest byte first. */
export function readDistance(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly next: number } {
  let next = at
  let byte = bytes[next++] ?? 0
  let value = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = bytes[next++] ?? 0
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, next }
}
