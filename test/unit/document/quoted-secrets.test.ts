// @module-tag long
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/document/document.ts'
import { EVERYTHING } from '../../support/documents/everything.ts'

const TOKEN = 'glpat-Ab1xC2D3e4F5g6H7i8J9'
const PASSWORD = 'hunter2-in-plain'
/** A token that may be a name, and addresses that no name may be. */
const MISPLACED = [TOKEN, `https://${TOKEN}@h/a.git`, `https://ana:${PASSWORD}@h/a.git`]

interface Spoilt {
  readonly what: string
  readonly document: string
}

/** The document with one value after the other replaced. */
function replacingEach(pattern: RegExp, by: (found: RegExpExecArray) => string): Spoilt[] {
  return Array.from(EVERYTHING.matchAll(pattern), (found) => {
    const { index } = found
    const end = index + found[0].length
    const document = EVERYTHING.slice(0, index) + by(found) + EVERYTHING.slice(end)
    return { what: EVERYTHING.slice(index - 40, end), document }
  })
}

/** The document with the values of all attributes of a name replaced, so that what must differ is equal. */
function replacingAll(value: string): Spoilt[] {
  const names = new Set(Array.from(EVERYTHING.matchAll(/ ([\w-]+)="/g), ([, name = '']) => name))
  return Array.from(names, (name) => {
    const document = EVERYTHING.replaceAll(
      new RegExp(` ${name}="[^"]*"`, 'g'),
      ` ${name}="${value}"`,
    )
    return { what: `every ${name}`, document }
  })
}

/** The places where a problem of a document shows a secret, and how many documents had problems. */
function toldBy(spoilt: readonly Spoilt[]) {
  let refused = 0
  const told = spoilt.flatMap(({ what, document }) => {
    const reading = readDocument(Buffer.from(document))
    if (reading.ok) return []
    refused += 1
    return reading.problems
      .map(({ message, path = '' }) => `${message} (${path})`)
      .filter((text) => text.includes(TOKEN) || text.includes(PASSWORD))
      .map((text) => `${what}: ${text}`)
  })
  return { told, refused }
}

describe('a secret in the wrong place', () => {
  it.each(MISPLACED)('is in no problem of a document, whatever attribute is %j', (value) => {
    const each = replacingEach(/(?<= [\w-]+=")[^"]*(?=")/g, () => value)
    const { told, refused } = toldBy([...each, ...replacingAll(value)])

    expect(told).toEqual([])
    expect(refused).toBeGreaterThan(100)
  })

  it.each(MISPLACED)('is in no problem of a document, whatever text is %j', (value) => {
    const { told, refused } = toldBy(replacingEach(/(?<=>)[^<>\s][^<>]*(?=<)/g, () => value))

    expect(told).toEqual([])
    expect(refused).toBeGreaterThan(5)
  })

  it('is in no problem of a document, whatever element or attribute is called so', () => {
    const elements = replacingEach(/<[\w-]+(?=[^<>]*\/>)/g, () => `<${TOKEN}`)
    const around = replacingEach(/<(agents|jobs|tasks|security|timer)>([^]*?)<\/\1>/g, (found) => {
      const [, , inner = ''] = found
      return `<${TOKEN} name="x">${inner}</${TOKEN}>`
    })
    const attributes = replacingEach(/(?<= )[\w-]+(?==")/g, () => TOKEN)
    const { told, refused } = toldBy([...elements, ...around, ...attributes])

    expect(told).toEqual([])
    expect(refused).toBeGreaterThan(100)
  })
})
