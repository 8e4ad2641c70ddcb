import { array, assert, boolean, nat, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findContradiction, type Operation } from '../../support/faults/linearizability.ts'
import {
  type ConfigurationCall,
  configurationModel,
  PROPOSAL_MODEL,
  type ProposalCall,
  RUNS_MODEL,
  type RunCall,
  SWITCH_MODEL,
  type SwitchCall,
} from '../../support/faults/models.ts'

type Configuration = Operation<ConfigurationCall>

function save(from: string, to: string, [began, ended]: readonly [number, number]): Configuration {
  return { call: { kind: 'save', from, to }, began, ended }
}

function read(value: string, [began, ended]: readonly [number, number]): Configuration {
  return { call: { kind: 'read', value }, began, ended }
}

function list(values: readonly string[], [began, ended]: readonly [number, number]): Configuration {
  return { call: { kind: 'list', values }, began, ended }
}

/** Whether the calls can have happened one after the other. */
function isPossible(...operations: readonly Configuration[]): boolean {
  return findContradiction(configurationModel('0'), operations) === null
}

/** A call that took the first half of a unit of time. */
function during<Call>(call: Call, n: number): Operation<Call> {
  return { call, began: n, ended: n + 0.5 }
}

function look(on: boolean, n: number): Operation<SwitchCall> {
  return during({ kind: 'look', on }, n)
}

function start(counter: number, n: number): Operation<RunCall> {
  return during({ kind: 'start', counter }, n)
}

function cancel(n: number): Operation<RunCall> {
  return during({ kind: 'cancel', was: true }, n)
}

/** A look of a caller at a proposal. */
function seen(state: 'open' | 'merged', review: 'approve' | 'reject' | null): ProposalCall {
  return { kind: 'look', state, review }
}

/** Whether one caller after the other can have been told this about a proposal. */
function isProposal(...calls: readonly ProposalCall[]): boolean {
  return findContradiction(PROPOSAL_MODEL, calls.map(during)) === null
}

describe('the check of a history of calls', () => {
  it('refuses approvals that are lost or made up, and merges of what is rejected or merged', () => {
    const approve = { kind: 'review', decision: 'approve' } as const
    const reject = { kind: 'review', decision: 'reject' } as const
    const merge = { kind: 'merge' } as const

    expect(isProposal(approve, reject, { kind: 'held-up' }, approve, merge)).toBe(true)
    expect(isProposal(approve, merge, seen('merged', 'approve'), { kind: 'over' })).toBe(true)
    expect(isProposal(approve, seen('open', null))).toBe(false)
    expect(isProposal(seen('open', 'approve'))).toBe(false)
    expect(isProposal(reject, merge)).toBe(false)
    expect(isProposal(merge, merge)).toBe(false)
    expect(isProposal(merge, seen('open', null))).toBe(false)
    expect(isProposal(approve, { kind: 'held-up' })).toBe(false)
  })

  it('finds an order for calls that overlap', () => {
    expect(isPossible(save('0', 'a', [0, 10]), read('0', [1, 2]), read('a', [3, 4]))).toBe(true)
    expect(isPossible(save('a', 'b', [0, 9]), save('0', 'a', [1, 8]))).toBe(true)
    expect(
      isPossible(list(['b', 'a', '0'], [0, 20]), save('0', 'a', [1, 2]), save('a', 'b', [3, 4])),
    ).toBe(true)
  })

  it('refuses a read of what was replaced before it began, and one that goes back', () => {
    expect(isPossible(save('0', 'a', [0, 1]), read('0', [2, 3]))).toBe(false)
    expect(isPossible(save('0', 'a', [0, 9]), read('a', [1, 2]), read('0', [3, 4]))).toBe(false)
  })

  it('refuses two saves from the same base, a save that is lost, and one that is there twice', () => {
    expect(isPossible(save('0', 'a', [0, 9]), save('0', 'b', [0, 9]))).toBe(false)
    expect(isPossible(save('0', 'a', [0, 1]), list(['0'], [2, 3]))).toBe(false)
    expect(isPossible(save('0', 'a', [0, 1]), list(['a', 'a', '0'], [2, 3]))).toBe(false)
  })

  it('takes a save without an answer for made, at any time since, or never', () => {
    const lost = save('0', 'a', [0, Infinity])

    expect(isPossible(lost, read('0', [5, 6]), read('a', [7, 8]))).toBe(true)
    expect(isPossible(lost, read('0', [5, 6]))).toBe(true)
    expect(isPossible(lost, read('a', [5, 6]), read('0', [7, 8]))).toBe(false)
    expect(isPossible(lost, save('a', 'b', [1, 2]), read('b', [3, 4]))).toBe(true)
  })

  it('refuses a run whose number was given twice, and a switch that was not turned', () => {
    expect(findContradiction(RUNS_MODEL, [start(1, 0), cancel(1), start(2, 2)])).toBeNull()
    expect(findContradiction(RUNS_MODEL, [start(1, 0), cancel(1), start(1, 2)])).toEqual(
      start(1, 2),
    )
    expect(findContradiction(RUNS_MODEL, [start(1, 0), start(3, 1)])).toEqual(start(3, 1))
    expect(findContradiction(RUNS_MODEL, [start(1, 0), cancel(1), cancel(2)])).toEqual(cancel(2))
    const off = { call: { kind: 'set', on: false }, began: 0, ended: 1 } as const
    const isOn = { call: { kind: 'look', on: true }, began: 2, ended: 3 } as const
    expect(findContradiction(SWITCH_MODEL, [off, isOn])).toEqual(isOn)
  })

  it('is done soon where many calls have no answer, whether there is an order or not', () => {
    const unanswered = Array.from({ length: 200 }, (_, n) => ({
      call: { kind: 'set', on: n % 2 === 0 } as const,
      began: n,
      ended: Infinity,
    }))
    const looks = Array.from({ length: 200 }, (_, n) => look(n % 3 === 0, n))

    expect(findContradiction(SWITCH_MODEL, [...unanswered, ...looks])).toBeNull()
    const early = [look(false, -2), look(true, -1)]
    expect(findContradiction(SWITCH_MODEL, [...unanswered, ...looks, ...early])).toEqual(early[0])
  })

  it('takes whatever an object did with calls that overlap, and is done with thousands soon', () => {
    const moments = array(tuple(boolean(), nat(30), nat(30), boolean()), {
      maxLength: 300,
    })
    assert(
      property(moments, (steps) => {
        let [value, time] = ['0', 0]
        const operations = steps.map(([isSave, before, after, isKnown], n): Configuration => {
          time += 10
          const [began, ended] = [time - before, time + after]
          if (!isSave) return read(value, [began, ended])
          const from = value
          value = `v${n}`
          return save(from, value, [began, isKnown ? ended : Infinity])
        })
        expect(findContradiction(configurationModel('0'), operations)).toBeNull()
      }),
      { numRuns: 30 },
    )
  })
})
