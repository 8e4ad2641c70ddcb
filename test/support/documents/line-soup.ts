import * as fc from 'fast-check'

/** Pieces that make it hard to cut texts into lines. */
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

/** A text in which a block is repeated or a repetition is taken away: the change can stand in many places. */
export const slidingSoup: fc.Arbitrary<readonly [string, string]> = fc
  .record({
    above: fc.array(fc.constantFrom('x\n', ' y\n', '\n'), { maxLength: 4 }),
    block: fc.array(fc.constantFrom('a\n', '  b\n', '\tc\n', '\n', '</a>\n'), { maxLength: 4 }),
    times: fc.integer({ min: 1, max: 4 }),
    more: fc.integer({ min: 1, max: 3 }),
    below: fc.array(fc.constantFrom('x\n', ' y\n', '\n', 'z'), { maxLength: 4 }),
    grows: fc.boolean(),
  })
  .map(({ above, block, times, more, below, grows }) => {
    const text = (count: number) =>
      [...above, ...Array.from({ length: count }, () => block).flat(), ...below].join('')
    const pair = [text(times), text(times + more)] as const
    return grows ? pair : ([pair[1], pair[0]] as const)
  })
