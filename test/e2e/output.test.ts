import { spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const FULL = '/dev/full'

function cairn(args: readonly string[], stdio: StdioOptions) {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: tempDir(), stdio })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

describe('a process whose output nobody takes', () => {
  it.skipIf(!existsSync(FULL))(
    'serves on when the disk of its log is full',
    { tags: ['long'] },
    async () => {
      const server = cairn(['serve', '--port', '0'], ['ignore', 'pipe', openSync(FULL, 'w')])
      const [line]: unknown[] = await once(server.stdout ?? server, 'data')
      const url = /^cairn ready (\S+)\n$/.exec(String(line))?.[1] ?? ''

      const health = await fetch(`${url}/health`)

      expect(health.status).toBe(200)
      server.kill('SIGTERM')
      expect(await once(server, 'exit')).toEqual([0, null])
    },
  )

  it('ends without a complaint when its reader has seen enough', async () => {
    const help = cairn(['help'], ['ignore', 'pipe', 'pipe'])
    let complaint = ''
    help.stderr?.on('data', (text: Buffer) => (complaint += text.toString()))
    help.stdout?.destroy()

    expect(await once(help, 'close')).toEqual([0, null])
    expect(complaint).toBe('')
  })
})
