import { Buffer } from 'node:buffer'
import { commonBytes } from '../../lib/common-bytes.ts'
import { commonPrefix, commonSuffix } from './common-ends.ts'

/** A text of which parts are taken, by offsets from its start: a string, or one that is decoded as far as it is asked for. */
export type TextSource = Pick<string, 'length' | 'slice'>

/** The text of bytes that are all ASCII. The whole is a string once somebody has asked for it. */
export class AsciiText implements TextSource {
  readonly bytes: Buffer
  #whole: string | null = null

  constructor({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>) {
    this.bytes = Buffer.from(buffer, byteOffset, length)
  }

  get length(): number {
    return this.bytes.length
  }

  slice(start = 0, end = this.length): string {
    if (start > 0 || end < this.length) {
      return this.#whole?.slice(start, end) ?? this.bytes.toString('latin1', start, end)
    }
    return (this.#whole ??= this.bytes.toString('latin1'))
  }
}

/** A part of a text that does not keep all of it in memory. */
export function ownSlice(text: TextSource, start: number, end: number): string {
  return text instanceof AsciiText
    ? text.bytes.toString('latin1', start, end)
    : Buffer.from(text.slice(start, end)).toString()
}

export function isSameText(one: TextSource, other: TextSource): boolean {
  if (one.length !== other.length) return false
  if (one instanceof AsciiText && other instanceof AsciiText) return one.bytes.equals(other.bytes)
  return one.slice() === other.slice()
}

/** Whether an ASCII character is in a text. */
export function hasCharacter(text: TextSource, character: string): boolean {
  return text instanceof AsciiText
    ? text.bytes.includes(character)
    : text.slice().includes(character)
}

/** How many characters two texts share at their start, and how many of the others at their end. */
export function commonEnds(
  one: TextSource,
  other: TextSource,
): { readonly start: number; readonly end: number } {
  if (one instanceof AsciiText && other instanceof AsciiText) {
    const { prefix, suffix } = commonBytes(one.bytes, other.bytes)
    return { start: prefix, end: suffix }
  }
  const [before, after] = [one.slice(), other.slice()]
  const start = commonPrefix(before, after)
  return { start, end: commonSuffix(before, after, start) }
}
