// @module-tag long
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AgentProtocolServer } from '../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../support/builds/an-assignment.ts'
import { BuildScene } from '../support/builds/build-service.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'
import { CommandOfNpm } from '../support/programs/command-of-npm.ts'
import { start } from '../support/programs/start.ts'
import { StuckGit } from '../support/git/stuck-git.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'

function serveFlags(): string[] {
  const folder = tempDir()
  const places = [
    '--config-repo',
    join(folder, 'config-repo'),
    '--state-dir',
    join(folder, 'state'),
  ]
  return ['--port', '0', ...places]
}

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends with all its processes on %s', async (signal) => {
    const started = new CommandOfNpm('npm', ['start', '--', ...serveFlags()])
    await until(() => started.output.includes('cairn ready'))

    started.process.kill(signal)
    await once(started.process, 'close')
    await until(() => started.alive().length === 0)

    expect(started.alive()).toEqual([])
  })
})

describe('npx cairn serve', () => {
  it.each([
    ['SIGTERM', 'itself'],
    ['SIGINT', 'all of them, as from a terminal'],
  ] as const)('ends with all its processes on %s to %s', async (signal, target) => {
    const started = new CommandOfNpm('npx', ['--no-install', 'cairn', 'serve', ...serveFlags()])
    await until(() => started.output.includes('cairn ready'))

    if (target === 'itself') started.process.kill(signal)
    else process.kill(-(started.process.pid ?? 0), signal)
    await once(started.process, 'close')
    await until(() => started.alive().length === 0)

    expect(started.alive()).toEqual([])
  })
})

describe('npx cairn agent', () => {
  it('ends with its job on SIGTERM', async () => {
    await using server = await AgentProtocolServer.start()
    const workDir = tempDir()
    const flags = ['--server', server.url, '--work-dir', workDir]
    const job = server.assign(anAssignment({ tasks: [sh('echo ready; sleep 300')] }))
    const started = new CommandOfNpm('npx', ['--no-install', 'cairn', 'agent', ...flags])
    await until(() => /\d ready\n/.test(job.text))

    started.process.kill('SIGTERM')

    await until(() => started.alive().length === 0)
    expect(job.result).not.toBe('Passed')
  })
})

describe('a service that has lost the shell it came from', () => {
  it('goes on, whatever variables npx has left it', async () => {
    const main = `"$0" ${rootFile('dist/main.js')} serve ${serveFlags().join(' ')} &`
    const shell = new CommandOfNpm('env', [
      'npm_command=exec',
      'npm_lifecycle_script=cairn',
      'sh',
      '-c',
      main,
      process.execPath,
    ])
    await once(shell.process, 'exit')

    await until(() => shell.output.includes('cairn ready'))

    expect(shell.alive().length).toBeGreaterThan(0)
  })
})

describe('a service that is killed', () => {
  it(
    'leaves nothing of the clients that look at its materials',
    { tags: ['util-linux'] },
    async () => {
      const folder = tempDir()
      const stuck = new StuckGit('ls-remote')
      const flags = ['--admin-password', ADMIN_PASSWORD, '--material-interval', '60ms']
      const args = ['serve', ...serveFlags(), ...flags, '--local-materials', folder]
      const program = start(args, { cwd: folder, env: { PATH: stuck.path } })
      const url = await program.line(/^cairn ready (\S+)\n$/)
      const service = { url, folder, fetch: callerOf(url), close: async () => {} }
      await BuildScene.over(service).configure({})
      await until(() => stuck.isStuck)

      program.process.kill('SIGKILL')
      await program.ended()

      await until(() => stuck.running().length === 0)
      expect(stuck.running()).toEqual([])
    },
  )
})
