import { describe, expect, it } from 'vitest'
import { dependency, element } from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

const FAR = { name: 'far', stages: [{ name: 'make' }, { name: 'pack' }, { name: 'ship' }] }
const NEAR = { name: 'near', materials: [dependency('far', 'pack')], stages: FAR.stages }

/** The pipeline "down", whose second stage fetches an artifact. */
function fetching(attributes: Record<string, string | undefined>, template = false): string[] {
  const whole = { job: 'unit', srcfile: 'a', ...attributes }
  const jobs = [{ tasks: [element('fetchartifact', whole)] }]
  const stages = [{ name: 'first' }, { name: 'second', jobs }, { name: 'third' }]
  const down = { name: 'down', materials: [dependency('near', 'pack')] }
  const pipelines = [FAR, NEAR, { ...down, ...(template ? { template: 't' } : { stages }) }]
  return messagesOf({ pipelines, ...(template ? { templates: [{ stages }] } : {}) })
}

describe('fetching an artifact', () => {
  it.each([
    { stage: 'first' },
    { stage: 'FIRST', job: 'Unit' },
    { pipeline: '', stage: 'first' },
    { pipeline: 'Down', stage: 'first' },
    { pipeline: 'near', stage: 'make' },
    { pipeline: 'near', stage: 'pack' },
    { pipeline: 'far/near', stage: 'pack' },
    { pipeline: 'far/near', stage: 'make' },
    { stage: 'first', srcfile: undefined, srcdir: 'a', dest: 'b' },
  ])('may be from %j', (attributes) => {
    expect(fetching(attributes)).toEqual([])
    expect(fetching(attributes, true)).toEqual([])
  })

  it.each([
    [{ stage: 'first', srcdir: 'b' }, 'the fetched artifact has both srcfile and srcdir'],
    [{ stage: 'first', srcfile: undefined }, 'the fetched artifact has neither srcfile nor srcdir'],
    [{ stage: ' ' }, 'the fetched artifact names no stage'],
    [{ stage: 'first', job: '' }, 'the fetched artifact names no job'],
    [
      { stage: 'first', dest: 'a/../../b' },
      'the path "a/../../b" of the fetched artifact leaves the folder of the job',
    ],
    [
      { stage: 'none' },
      'the stage "none" of the pipeline "down" that "down" fetches from does not exist',
    ],
    [
      { stage: 'first', job: 'none' },
      'the job "none" of the stage "first" of the pipeline "down" that "down" fetches from does not exist',
    ],
    [
      { stage: 'second' },
      'the stage "second" that the stage "second" of "down" fetches from is not an earlier one',
    ],
    [
      { stage: 'third' },
      'the stage "third" that the stage "second" of "down" fetches from is not an earlier one',
    ],
    [
      { pipeline: 'none', stage: 'make' },
      'the pipeline "none" that "down" fetches from does not exist',
    ],
    [
      { pipeline: 'far', stage: 'make' },
      'the pipeline "far" that "down" fetches from is not upstream of "down"',
    ],
    [
      { pipeline: 'near/far', stage: 'make' },
      'the pipeline "far" that "down" fetches from is not upstream of "down"',
    ],
    [
      { pipeline: 'near', stage: 'ship' },
      'the stage "ship" of "near" completes after the stage "pack" that "down" depends on',
    ],
    [
      { pipeline: 'far/near', stage: 'ship' },
      'the stage "ship" of "far" completes after the stage "pack" that "down" depends on',
    ],
  ])('may not be from %j', (attributes, message) => {
    expect(fetching(attributes)).toEqual([message])
    expect(fetching(attributes, true)).toEqual([message])
  })

  it('is not looked into in a template that nothing uses', () => {
    const tasks = [element('fetchartifact', { stage: 'none', job: 'none' })]

    expect(messagesOf({ templates: [{ stages: [{ jobs: [{ tasks }] }] }] })).toEqual([])
  })

  it('may name an instance of a job that has several', () => {
    const jobs = [
      { name: 'all', attributes: { runOnAllAgents: true } },
      { name: 'some', attributes: { runInstanceCount: 3 } },
      { name: 'one' },
    ]
    const fetch = (job: string) => {
      const tasks = [element('fetchartifact', { stage: 'first', job, srcfile: 'a' })]
      const stages = [
        { name: 'first', jobs },
        { name: 'second', jobs: [{ tasks }] },
      ]
      return messagesOf({ pipelines: [{ stages }] })
    }

    for (const job of ['all', 'all-runOnAll-1', 'some', 'some-runInstance-2']) {
      expect(fetch(job)).toEqual([])
    }
    for (const job of ['one-runOnAll-1', 'all-runInstance-1', 'all-runOnAll-x']) {
      expect(fetch(job)).toHaveLength(1)
    }
  })

  it('is held to the same rules when it happens on cancel', () => {
    const fetch = element('fetchartifact', { stage: 'none', job: 'none', srcfile: 'a' })
    const tasks = [element('exec', { command: 'a' }, [element('oncancel', {}, [fetch])])]

    expect(messagesOf({ pipelines: [{ stages: [{ jobs: [{ tasks }] }] }] })).toHaveLength(1)
  })
})
