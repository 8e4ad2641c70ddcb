// @module-tag long
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PIPELINE } from '../../src/builds/engine/documents.ts'
import { openSqliteState } from '../../src/state/open-sqlite.ts'
import { aConfiguration, git } from '../support/documents/a-configuration.ts'
import type { Program } from '../support/programs/program.ts'
import { gitOrigin } from '../support/builds/source-origins.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { gitLine } from '../support/git/git.ts'
import { until } from '../support/programs/until.ts'

const KILLS = 5
const Listed = z.array(z.object({ latest: z.object({ label: z.string() }).nullable() }))

/** A server as a process of its own, with one pipeline whose label ends with its revision. */
class Scene {
  readonly folder = tempDir()
  readonly origin = join(this.folder, 'origin')
  url = ''

  constructor() {
    gitOrigin(this.origin)
  }

  async serve(environment: Readonly<Record<string, string>> = {}): Promise<Program> {
    const places = [
      '--local-materials',
      '.',
      '--config-repo',
      'config-repo',
      '--state-dir',
      'state',
      '--port',
      '0',
    ]
    const flags = ['--admin-password', 'a password', '--material-interval', '60ms']
    const env = { HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1', ...environment }
    const program = start(['serve', ...places, ...flags], { cwd: this.folder, env })
    this.url = await program.line(/^cairn ready (\S+)\n$/)
    return program
  }

  call(method: string, path: string, body: string | null = null): Promise<Response> {
    const authorization = `Basic ${Buffer.from('admin:a password').toString('base64')}`
    const headers = { authorization, 'if-match': '*' }
    return fetch(`${this.url}${path}`, { method, headers, body })
  }

  async configure(): Promise<void> {
    const materials = [git(this.origin, { branch: 'trunk', materialName: 'src' })]
    const attributes = { labeltemplate: '${COUNT}.${src}' }
    const pipelines = [{ name: 'app', attributes, materials }]
    const { status } = await this.call(
      'PUT',
      '/api/admin/config.xml',
      aConfiguration({ pipelines }),
    )
    if (status !== 200) throw new Error(`the configuration was refused: ${status}`)
  }

  commit(): string {
    gitLine(this.origin, 'commit', '-q', '--allow-empty', '-m', 'more')
    return gitLine(this.origin, 'rev-parse', 'HEAD')
  }

  /** Makes room for the next run. */
  async cancel(): Promise<void> {
    await this.call('POST', '/api/stages/app/build/cancel')
  }

  async label(): Promise<string> {
    const response = await this.call('GET', '/api/pipelines')
    return Listed.parse(await response.json())[0]?.latest?.label ?? ''
  }
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

describe('a server that starts pipelines', () => {
  it(
    'loses no change and starts nothing twice, whenever it is killed',
    { timeout: 120_000 },
    async () => {
      const scene = new Scene()
      let program = await scene.serve()
      await scene.configure()
      for (let kill = 0; kill < KILLS; kill += 1) {
        await scene.cancel()
        scene.commit()
        // Anywhere between the poll that sees the change and the run that it starts.
        await wait(15 + kill * 25)
        program.process.kill('SIGKILL')
        await program.ended()
        program = await scene.serve()
      }
      const head = scene.commit()
      await until(async () => {
        await scene.cancel()
        return (await scene.label()).endsWith(head)
      })
      program.process.kill('SIGTERM')
      await program.ended()

      await using store = await openSqliteState(join(scene.folder, 'state', 'state.sqlite'))
      const runs = (await store.list(PIPELINE)).map(({ value }) => value)
      const inOrder = runs.toSorted((one, other) => one.counter - other.counter)
      const revisions = inOrder.map((run) => run.revisions[0]?.revision)
      expect(inOrder.map(({ counter }) => counter)).toEqual(runs.map((_, n) => n + 1))
      expect(new Set(revisions).size).toBe(revisions.length)
      expect(revisions.at(-1)).toBe(head)
    },
  )

  it('ends the clients that it runs, and who waits for them, when it is told to end', async () => {
    const scene = new Scene()
    const bin = join(scene.folder, 'bin')
    const pids = join(scene.folder, 'pids')
    const path = process.env['PATH'] ?? ''
    mkdirSync(bin)
    const hang = `sleep 300 & echo $$ $! >${pids}.new; mv ${pids}.new ${pids}; wait`
    const script = `#!/bin/sh\ncase "$*" in ls-remote*) ${hang};; *) PATH="${path}" exec git "$@";; esac\n`
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
    const program = await scene.serve({ PATH: `${bin}:${path}` })
    await scene.configure()
    await until(() => existsSync(pids))
    const hanging = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
    const asked = scene.call('POST', '/api/pipelines/app/schedule')
    await wait(100)

    program.process.kill('SIGTERM')

    expect((await program.ended()).code).toBe(0)
    expect((await asked).status).toBe(409)
    expect(hanging.filter(isAlive)).toEqual([])
  })
})
