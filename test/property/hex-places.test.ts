import { array, assert, constantFrom, nat, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HexNames, HexPlaces, STORED_SIGNS } from '../../src/lib/compact/hex-places.ts'

/** Names of which many begin alike, and some are there several times. */
const aName = tuple(constantFrom('00000', 'abcde', 'fffff'), nat(40)).map(
  ([start, n]) => `${start}${n.toString(16).padStart(3, '0')}`,
)

function namesBy(nameAt: HexNames['nameAt']): HexNames {
  const firstAt = (place: number) => {
    const name = nameAt(place)
    return name === null ? null : Number.parseInt(name.slice(0, STORED_SIGNS), 16)
  }
  return { nameAt, firstAt }
}

describe('names in a long list', () => {
  it('are found at their highest place, however many came at once or in turns', () => {
    assert(
      property(
        array(array(aName, { maxLength: 700 }), { maxLength: 4 }),
        array(aName, { maxLength: 20 }),
        (rounds, asked) => {
          const names: string[] = []
          const places = new HexPlaces(namesBy((place) => names[place] ?? null))
          for (const round of rounds) {
            names.push(...round)
            places.grow(names.length)
            const last = asked.map((name) => names.lastIndexOf(name))
            expect(asked.map((name) => places.find(name) ?? -1)).toEqual(last)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are not there where the list has none', () => {
    const places = new HexPlaces(namesBy((place) => (place % 2 === 0 ? null : `abcdef${place}`)))
    for (const length of [100, 1_000, 1_001, 1_002]) {
      places.grow(length)
      expect([places.find('abcdef1'), places.find('abcdef2')]).toEqual([1, null])
    }
    expect(places.find('abcdef1001')).toBe(1_001)
  })
})
