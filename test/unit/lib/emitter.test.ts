import { describe, expect, it } from 'vitest'
import { Emitter } from '../../../src/lib/emitter.ts'

describe('an emitter', () => {
  it('calls its listeners in the order in which they came, until they stop listening', () => {
    const emitter = new Emitter<[word: string, count: number]>()
    const heard: string[] = []
    const stop = emitter.on((word, count) => heard.push(`one ${word} ${count}`))
    emitter.on((word) => heard.push(`two ${word}`))

    emitter.emit('first', 1)
    stop()
    emitter.emit('second', 2)

    expect(heard).toEqual(['one first 1', 'two first', 'two second'])
  })

  it('lets a listener stop itself while it is called', () => {
    const emitter = new Emitter()
    const heard: string[] = []
    const stop = emitter.on(() => {
      heard.push('once')
      stop()
    })
    emitter.on(() => heard.push('always'))

    emitter.emit()
    emitter.emit()

    expect(heard).toEqual(['once', 'always', 'always'])
  })
})
