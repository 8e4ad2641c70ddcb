import * as fc from 'fast-check'

/** Pieces that make trouble for whoever cuts texts into lines. */
const PIECES = [
  '\n',
  '\r\n',
  '\r',
  '\0',
  'a\n',
  'a\n',
  'b\n',
  'c\n',
  '  a\n',
  '\ta\n',
  ' \n',
  'a',
  '-- \n',
  '@@ -1 +1 @@\n',
  '\\ No newline at end of file\n',
  '</job>\n',
  'žlutý kůň\n',
  '\u2028\n',
]

/** Texts of few different lines, so that they repeat, slide and half match. */
export const lineSoup: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 40 })
  .map((pieces) => pieces.join(''))

/** A text and another one made from it by a few edits. */
export const editedSoup: fc.Arbitrary<readonly [string, string]> = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }),
    fc.array(
      fc.record({
        at: fc.nat(60),
        remove: fc.nat(4),
        insert: fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }),
      }),
      { maxLength: 5 },
    ),
  )
  .map(([pieces, edits]) => {
    const edited = [...pieces]
    for (const { at, remove, insert } of edits) edited.splice(at, remove, ...insert)
    return [pieces.join(''), edited.join('')] as const
  })
