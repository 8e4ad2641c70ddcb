import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lockFolder } from '../../../src/agent/host/folder-lock.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { command } from '../../support/programs/command.ts'

const startAgent = (folder: string) =>
  command(['agent', '--server', 'http://127.0.0.1:1', '--work-dir', folder])

describe('an agent that does not start says why in one line', () => {
  it('where another one works in its folder', async () => {
    const folder = tempDir()
    const lock = await lockFolder(folder)

    const { code, stderr } = await startAgent(folder)
    lock[Symbol.dispose]()

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `cairn: Another agent works in ${folder}\n`,
    })
  })

  it('where its identity cannot be read', async () => {
    const folder = tempDir()
    const file = join(folder, 'identity.json')
    writeFileSync(file, '{"uuid": ')

    const { code, stderr } = await startAgent(folder)

    const stated = `cairn: ${file} does not hold an identity of an agent\n`
    expect({ code, stderr }).toEqual({ code: 1, stderr: stated })
  })
})
