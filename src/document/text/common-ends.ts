/** Characters that are compared at once. */
const BLOCK = 4096

/** How many characters two texts share at their start. */
export function commonPrefix(one: string, other: string): number {
  const limit = Math.min(one.length, other.length)
  const blockOf = (text: string, length: number) => text.slice(length, length + BLOCK)
  let length = 0
  while (length + BLOCK <= limit && blockOf(one, length) === blockOf(other, length)) length += BLOCK
  while (length < limit && one[length] === other[length]) length += 1
  return length
}

/** How many characters two texts share at their end, without the first `start` of each. */
export function commonSuffix(one: string, other: string, start: number): number {
  const limit = Math.min(one.length, other.length) - start
  const blockOf = (text: string, length: number) =>
    text.slice(text.length - length - BLOCK, text.length - length)
  let length = 0
  while (length + BLOCK <= limit && blockOf(one, length) === blockOf(other, length)) length += BLOCK
  while (length < limit && one.at(-length - 1) === other.at(-length - 1)) length += 1
  return length
}
