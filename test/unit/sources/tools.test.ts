import { expect, it, onTestFinished } from 'vitest'
import { Tools } from '../../../src/sources/tools.ts'
import { toolEnvironment } from '../../support/builds/materials.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

it('names a tool once in its complaint, also where each of its lines begins so', async () => {
  const home = tempDir()
  const tools = new Tools({ environment: toolEnvironment(home), timeout: 20_000 })
  onTestFinished(() => tools[Symbol.asyncDispose]())
  const script = 'echo "svn: E170013: Unable to connect" >&2; echo "svn: E1: No" >&2; exit 1'

  const run = tools.run({ command: 'sh', args: ['-c', script], cwd: home, name: 'svn' })

  await expect(run).rejects.toThrow(/^svn: E170013: Unable to connect E1: No$/)
})

it('says that a tool was killed, which is no answer to a question', async () => {
  const home = tempDir()
  const tools = new Tools({ environment: toolEnvironment(home), timeout: 20_000 })
  onTestFinished(() => tools[Symbol.asyncDispose]())
  const call = { command: 'sh', args: ['-c', 'kill -9 $$'], cwd: home, name: 'git' }

  await expect(tools.run(call)).rejects.toThrow(/^git: it was ended by SIGKILL$/)
  await expect(tools.succeeds(call)).rejects.toThrow(/^git: it was ended by SIGKILL$/)
})
