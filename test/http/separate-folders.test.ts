import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

/** The error of a start with the repository and the state in these folders. */
async function refusalOf(repository: string, state: string): Promise<unknown> {
  try {
    await startService(['--config-repo', repository, '--state-dir', state])
    return 'started'
  } catch (error) {
    return error
  }
}

const refused = (message: RegExp) => ({
  code: 'unavailable',
  message: expect.stringMatching(message),
})

describe('the state and the configuration repository', () => {
  it.each([
    ['repo', 'repo/state', /repo\/state lies in the configuration repository .*repo: /],
    ['repo', 'repo/.git/state', /repo\/\.git\/state lies in the configuration repository/],
    ['both', 'both', /both lies in the configuration repository .*both: /],
    ['state/repo', 'state', /configuration repository .*state\/repo lies in .*state: /],
  ])('are refused as %s and %s, and nothing is made', async (repository, state, message) => {
    const folder = tempDir()

    const error = await refusalOf(join(folder, repository), join(folder, state))

    expect(error).toMatchObject(refused(message))
    expect(readdirSync(folder)).toEqual([])
  })

  it('are refused where links lead from one into the other', async () => {
    const folder = tempDir()
    const [repository, state] = [join(folder, 'repo'), join(folder, 'state')]
    mkdirSync(join(repository, 'kept'), { recursive: true })
    symlinkSync(join(repository, 'kept'), join(folder, 'link'))
    mkdirSync(state)
    symlinkSync(join(repository, 'kept'), join(state, 'artifacts'))

    expect(await refusalOf(repository, join(folder, 'link'))).toMatchObject(refused(/link lies in/))
    expect(await refusalOf(repository, state)).toMatchObject(refused(/state\/artifacts lies in/))
  })

  it('may lie beside each other, whatever the beginning of their names', async () => {
    const folder = tempDir()

    expect(await refusalOf(join(folder, 'config'), join(folder, 'config-state'))).toBe('started')
  })
})
