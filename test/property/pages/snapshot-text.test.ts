import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { digestOf } from '../../../src/core/digest.ts'
import { lineText } from '../../../src/pages/code/line-pieces.ts'
import { snapshotText } from '../../../src/pages/work/snapshot-text.ts'

const PARTS = [
  '<variable name="A" secure="true">',
  '<value>',
  '</value>',
  'AES:bm90IGE=:c2VjcmV0',
  '<git url="https://me:pass@example.org/a" password="two\nlines"/>',
  "token='one'",
  '<![CDATA[',
  ']]>',
  'Straße ΟΔΟΣ',
  'hidden',
  '\n',
  '\n\n',
  ' ',
]
const documents = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 40 })
  .map((parts) => parts.join(''))
const texts = fc.oneof(
  fc.constantFrom('HIDDEN', '•', 'n"', 'secret', 'pass', 'value', '"', 'ß', 'one', 'lines', 'two'),
  fc.string({ minLength: 1, maxLength: 2 }),
)

it('a search in a document finds the lines that show the text, and no secret', () => {
  fc.assert(
    fc.property(documents, texts, (written, text) => {
      const document = Buffer.from(written)
      const of = { document, digest: digestOf(document), line: 1, keepsHidden: false }

      const { shown, found } = snapshotText({ ...of, find: text })

      const lines = shown.map((line) => lineText(line).toLowerCase())
      expect(found?.lines).toEqual(
        lines.flatMap((line, n) => (line.includes(text.toLowerCase()) ? [n + 1] : [])),
      )
    }),
    { numRuns: 500 },
  )
})
