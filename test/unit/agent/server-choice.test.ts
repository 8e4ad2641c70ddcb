import { describe, expect, it } from 'vitest'
import { ServerChoice } from '../../../src/agent/server/server-choice.ts'

const HOSTS = ['http://a', 'http://b', 'http://c'] as const

describe('the choice of a server', () => {
  it('goes from one that is absent to the next, and back', () => {
    const choice = new ServerChoice(HOSTS)

    const chosen = [1, 2, 3].map(() => {
      choice.leave(choice.current, { isSilent: false })
      return choice.current.host
    })

    expect(chosen).toEqual(['b', 'c', 'a'])
  })

  it('leaves one that is silent alone', () => {
    const choice = new ServerChoice(HOSTS)
    choice.leave(choice.current, { isSilent: true })

    const chosen = [1, 2, 3].map(() => {
      choice.leave(choice.current, { isSilent: false })
      return choice.current.host
    })

    expect(chosen).toEqual(['c', 'b', 'c'])
  })

  it('is still some server when all of them are silent', () => {
    const choice = new ServerChoice(HOSTS)

    for (const _ of HOSTS) choice.leave(choice.current, { isSilent: true })

    expect(choice.current.host).toBe('a')
  })
})
