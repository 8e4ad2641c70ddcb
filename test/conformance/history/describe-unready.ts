import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rmSync, truncateSync } from 'node:fs'
import type { History, HistoryOptions } from '../../../src/history/history.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { eventually, POLL_INTERVAL_MS, usernamesOf } from './following.ts'

/** Describes a history while git is in the middle of an operation. */
export function describeUnready(where: string, defaults: Partial<HistoryOptions>): void {
  describe(`a repository in no state to be written to (${where})`, () => {
    let folder: HistoryFolder
    let history: History
    beforeEach(async () => {
      folder = new HistoryFolder({ pollInterval: POLL_INTERVAL_MS, ...defaults })
      history = await folder.open()
    })
    afterEach(() => folder[Symbol.asyncDispose]())

    it('serves what it knows and refuses changes while no branch is checked out', async () => {
      folder.git('checkout', '--quiet', '--detach')

      await expect(save(history, documentOf('two'))).rejects.toMatchObject({
        code: 'unavailable',
      })

      await eventually(() => expect(history.problem()).toMatchObject({ kind: 'repository' }))
      expect(usernamesOf(history)).toEqual(['Upgrade'])
      folder.git('checkout', '--quiet', 'main')
      await eventually(() => expect(history.problem()).toBeNull())
      await save(history, documentOf('two'))
    })

    it('never takes a damaged branch for an empty one', async () => {
      truncateSync(folder.file('.git/refs/heads/main'))

      await expect(save(history, documentOf('two'))).rejects.toMatchObject({
        code: 'unavailable',
      })

      expect(usernamesOf(history)).toEqual(['Upgrade'])
      expect(folder.read('.git/refs/heads/main')).toBe('')
    })

    it('never begins anew where the branch is gone', async () => {
      await save(history, documentOf('two'))
      await folder.close()
      rmSync(folder.file('.git/refs/heads/main'))
      rmSync(folder.file('.git/cairn'), { recursive: true })

      await expect(folder.open()).rejects.toMatchObject({ code: 'unavailable' })
    })

    it('is opened all the same while the index knows its revisions', async () => {
      await folder.close()
      truncateSync(folder.file('.git/refs/heads/main'))

      history = await folder.open()

      expect(usernamesOf(history)).toEqual(['Upgrade'])
      expect(history.problem()).toMatchObject({ kind: 'repository' })
      await expect(save(history, documentOf('two'))).rejects.toMatchObject({
        code: 'unavailable',
      })
    })
  })
}
