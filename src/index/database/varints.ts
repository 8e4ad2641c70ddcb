/** Whole numbers from 0 on as bytes: seven bits in each, the last one of a number without the eighth. */
export function packNumbers(numbers: Iterable<number>): Buffer {
  const bytes: number[] = []
  for (const number of numbers) {
    let rest = number
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  return Buffer.from(bytes)
}

export function unpackNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let [number, unit] = [0, 1]
  for (const byte of bytes) {
    number += (byte % 128) * unit
    unit *= 128
    if (byte > 127) continue
    numbers.push(number)
    ;[number, unit] = [0, 1]
  }
  return numbers
}
