import { describe, expect, it } from 'vitest'
import { fanIn, joinOrigins, type Origins } from '../../../src/core/builds/fan-in.ts'

function aRun(id: number, origins: Record<string, string | readonly string[]>) {
  return { id, origins: anOrigins(origins) }
}

function anOrigins(origins: Record<string, string | readonly string[]>): Origins {
  return new Map(Object.entries(origins).map(([origin, of]) => [origin, new Set([of].flat())]))
}

function idsOf(runs: readonly { readonly id: number }[] | null): readonly number[] | null {
  return runs && runs.map(({ id }) => id)
}

describe('fan-in', () => {
  it('takes the newest runs where nothing is shared', () => {
    const b = [aRun(4, { git: 'r2' }), aRun(1, { git: 'r1' })]
    const c = [aRun(3, { svn: '9' })]

    expect(idsOf(fanIn([b, c]))).toEqual([4, 3])
  })

  it('waits with what one branch alone has been through', () => {
    const b = [aRun(5, { a: '2' }), aRun(2, { a: '1' })]
    const c = [aRun(3, { a: '1' })]

    expect(idsOf(fanIn([b, c]))).toEqual([2, 3])
    expect(idsOf(fanIn([c, b]))).toEqual([3, 2])
  })

  it('gives nothing where no revision went through every branch', () => {
    expect(fanIn([[aRun(5, { a: '2' })], [aRun(3, { a: '1' })]])).toBe(null)
    expect(fanIn([[aRun(5, { a: '2' })], []])).toBe(null)
  })

  it('lets the run that is newest of all decide, also one of an older revision', () => {
    const b = [aRun(6, { a: '2' }), aRun(2, { a: '1' })]
    const c = [aRun(9, { a: '1' }), aRun(7, { a: '2' }), aRun(3, { a: '1' })]

    expect(idsOf(fanIn([b, c]))).toEqual([2, 9])
  })

  it('looks at every origin that is shared, however far apart', () => {
    const b = [aRun(8, { a: '2', git: 'r1' }), aRun(4, { a: '1', git: 'r1' })]
    const c = [aRun(7, { git: 'r1', svn: '5' }), aRun(3, { git: 'r1', svn: '4' })]
    const d = [aRun(6, { svn: '4', a: '1' })]

    expect(idsOf(fanIn([b, c, d]))).toEqual([4, 3, 6])
  })

  it('is given no dependency for none', () => {
    expect(fanIn([])).toEqual([])
  })

  it('gives up after so many tries where there is no end of them', () => {
    const values = Array.from({ length: 60 }, (_, n) => n)
    const ring = (n: number, from: string, to: string) =>
      values.flatMap((value) => [aRun(value * 10 + n, { [from]: `${value}`, [to]: `${value}` })])
    const odd = values.map((value) => aRun(value, { z: `${value}`, w: `${(value + 1) % 60}` }))
    const upstreams = [ring(1, 'w', 'x'), ring(2, 'x', 'y'), ring(3, 'y', 'z'), odd]

    expect(fanIn(upstreams)).toBe(null)
  })
})

describe('origins that are joined', () => {
  it('keep what both have, and nothing of what only one has lost', () => {
    const joined = joinOrigins(
      anOrigins({ a: ['1', '2'], b: '3' }),
      anOrigins({ a: ['2'], c: '4' }),
    )

    expect(joined).toEqual(anOrigins({ a: '2', b: '3', c: '4' }))
  })

  it('are none when they disagree', () => {
    expect(joinOrigins(anOrigins({ a: '1' }), anOrigins({ a: '2' }))).toBe(null)
  })
})
