import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LogEvent } from '../../../src/lib/log.ts'
import { MaterialPoller } from '../../../src/builds/materials/material-poller.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { watchedMaterials } from '../../../src/builds/materials/watched-materials.ts'
import { type AnElement, git } from '../../support/documents/a-configuration.ts'
import { allowing, pipelinesOf, toolEnvironment } from '../../support/builds/materials.ts'
import { NO_SECRETS } from '../../support/builds/poller-secrets.ts'
import { gitOrigin } from '../../support/builds/source-origins.ts'
import { gitLine } from '../../support/git/git.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

interface World {
  readonly home: string
  readonly poller: MaterialPoller
  readonly logged: LogEvent[]
  readonly polled: string[]
  /** One pipeline with each list of materials. */
  readonly watch: (pipelines: Readonly<Record<string, readonly AnElement[]>>) => string[]
}

function open(
  options: { interval?: number; timeout?: number; fakeGit?: string; home?: string } = {},
): World {
  const { home = tempDir(), interval = 30, timeout = 20_000, fakeGit } = options
  const logged: LogEvent[] = []
  const polled: string[] = []
  const environment = toolEnvironment(home)
  if (fakeGit !== undefined) {
    mkdirSync(join(home, 'bin'))
    writeFileSync(join(home, 'bin', 'git'), `#!/bin/sh\n${fakeGit}\n`, { mode: 0o755 })
    environment['PATH'] = `${home}/bin:${environment['PATH']}`
  }
  const poller = new MaterialPoller({
    folder: join(home, 'materials'),
    interval,
    first: 0,
    timeout,
    environment,
    local: allowing(home),
    secrets: NO_SECRETS,
    log: (event) => logged.push(event),
  })
  poller.onPolled((fingerprint) => polled.push(fingerprint))
  onTestFinished(() => poller[Symbol.asyncDispose]())
  const watch: World['watch'] = (described) => {
    const pipelines = Object.entries(described).map(([name, materials]) => ({ name, materials }))
    const watched = watchedMaterials(pipelinesOf({ pipelines }))
    runSync(poller.watch(watched))
    return watched.map(({ fingerprint }) => fingerprint)
  }
  return { home, poller, logged, polled, watch }
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

describe('the poller of materials', () => {
  it('sees a new revision by itself', async () => {
    const { home, poller, watch } = open()
    const origin = gitOrigin(join(home, 'origin'))
    const [fingerprint = ''] = watch({ p: [git(origin.url, { branch: 'trunk' })] })

    await expect.poll(() => poller.latest(fingerprint)).toBe(origin.material(1).revision)
    gitLine(join(home, 'origin'), 'commit', '-q', '--allow-empty', '-m', 'more')
    const head = gitLine(join(home, 'origin'), 'rev-parse', 'HEAD')
    await expect.poll(() => poller.latest(fingerprint)).toBe(head)
  })

  it('polls a repository once, however many pipelines use it', async () => {
    const { home, polled, watch } = open({
      interval: 600_000,
      fakeGit: `echo x >>"$HOME/calls"; printf '%s\\t%s\\n' ${'a'.repeat(40)} "$5"`,
    })

    watch({
      p: [git('host:u')],
      q: [git('host:u', { dest: 'd' })],
      r: [git('host:u')],
      s: [git('host:v')],
    })

    await expect.poll(() => polled.length).toBe(2)
    expect(readFileSync(join(home, 'calls'), 'utf8')).toBe('x\nx\n')
  })

  it('asks once for the changes that many wait for at once', async () => {
    const home = tempDir()
    const calls = join(home, 'calls')
    const { poller, watch } = open({
      home,
      interval: 86_400_000,
      fakeGit: `echo call >> ${calls}; PATH="\${PATH#*:}" exec git "$@"`,
    })
    const origin = gitOrigin(join(home, 'origin'))
    const [fingerprint = ''] = watch({ p: [git(origin.url, { branch: 'trunk' })] })
    const span = { after: null, upTo: await poller.poll(fingerprint) }
    const costOf = async (askers: number) => {
      writeFileSync(calls, '')
      const asked = Array.from({ length: askers }, () => poller.changes(fingerprint, span))
      return { answers: await Promise.all(asked), calls: readFileSync(calls, 'utf8') }
    }
    await costOf(1)
    const one = await costOf(1)

    const many = await costOf(20)

    expect(many.answers).toEqual(Array.from({ length: 20 }, () => one.answers[0]))
    expect(one.answers[0]).toHaveLength(1)
    expect(many.calls).toBe(one.calls)
  })

  it('runs at most four polls at once', async () => {
    const { home, polled, watch } = open({
      interval: 600_000,
      fakeGit: `echo "+ $$" >>"$HOME/calls"; sleep 0.2; echo "- $$" >>"$HOME/calls"; printf '%s\\t%s\\n' ${'a'.repeat(40)} "$5"`,
    })

    watch(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`p${n}`, [git(`host:u${n}`)]])))

    await expect.poll(() => polled.length).toBe(9)
    let running = 0
    const counts = readFileSync(join(home, 'calls'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (running += line.startsWith('+') ? 1 : -1))
    expect(Math.max(...counts)).toBe(4)
  })

  it('polls a material without autoUpdate on demand only, and then anew each time', async () => {
    const { home, poller, polled, watch } = open()
    const origin = gitOrigin(join(home, 'origin'))
    const material = git(origin.url, { branch: 'trunk', autoUpdate: false })
    const [asked = '', other = ''] = watch({ p: [material], q: [git(origin.url, { branch: 'x' })] })
    await expect.poll(() => poller.problems().length).toBe(1)

    expect(poller.latest(asked)).toBe(null)
    expect(await poller.poll(asked)).toBe(origin.material(1).revision)
    gitLine(join(home, 'origin'), 'commit', '-q', '--allow-empty', '-m', 'more')
    const head = gitLine(join(home, 'origin'), 'rev-parse', 'HEAD')
    expect(await Promise.all([poller.poll(asked), poller.poll(asked)])).toEqual([head, head])
    expect(polled).not.toContain(other)
  })

  it('says which material cannot be read, goes on with the others, and forgets it when it can', async () => {
    const { home, poller, logged, watch } = open()
    const origin = gitOrigin(join(home, 'origin'))
    const away = join(home, 'away')
    const [bad = '', good = ''] = watch({
      p: [git(away, { branch: 'trunk' })],
      q: [git(away, { branch: 'trunk' })],
      r: [git(origin.url, { branch: 'trunk' })],
    })

    await expect.poll(() => poller.latest(good)).not.toBe(null)
    await expect
      .poll(() => poller.problems())
      .toEqual([
        {
          fingerprint: bad,
          subject: 'The git material of the pipelines p, q cannot be read',
          briefly: 'The git material cannot be read',
          errors: [{ message: expect.stringContaining('does not appear to be a git repository') }],
          errorsInFull: [
            { message: expect.stringContaining('does not appear to be a git repository') },
          ],
          pipelines: ['p', 'q'],
        },
      ])
    expect(JSON.stringify(poller.problems())).not.toContain(away)
    renameSync(join(home, 'origin'), away)
    await expect.poll(() => poller.latest(bad)).not.toBe(null)
    expect(poller.problems().some(({ subject }) => subject.includes('p, q'))).toBe(false)
    expect(logged.filter(({ message }) => message.includes('p, q'))).toHaveLength(1)
  })

  it('polls less and less often while it fails', { tags: ['long'] }, async () => {
    const { home, watch } = open({ interval: 50, fakeGit: 'date +%s%N >>"$HOME/calls"; exit 1' })
    const calls = () =>
      existsSync(join(home, 'calls'))
        ? readFileSync(join(home, 'calls'), 'utf8').trim().split('\n').map(Number)
        : []

    watch({ p: [git('host:u')] })

    await expect.poll(() => calls().length).toBeGreaterThan(4)
    const times = calls().map((time) => time / 1e6)
    const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0))
    expect(pauses[0]).toBeGreaterThanOrEqual(95)
    expect(pauses[3]).toBeGreaterThanOrEqual(780)
  })

  it.each([
    ['is ended when it takes too long', 300, false],
    ['is ended with the service', 60_000, true],
  ])('a client %s, with all that it started', async (_, timeout, disposed) => {
    const fakeGit =
      'sleep 300 & echo $$ $! >"$HOME/pids.new"; mv "$HOME/pids.new" "$HOME/pids"; wait'
    const { home, poller, watch } = open({ timeout, fakeGit, interval: 600_000 })
    watch({ p: [git('host:u')] })
    await expect.poll(() => existsSync(join(home, 'pids'))).toBe(true)
    const pids = readFileSync(join(home, 'pids'), 'utf8').trim().split(' ').map(Number)

    if (disposed) await poller[Symbol.asyncDispose]()

    await expect.poll(() => pids.filter(isAlive)).toEqual([])
    await expect.poll(() => poller.problems().length).toBe(1)
  })

  it('lets nobody wait for the repositories that do not answer', { tags: ['long'] }, async () => {
    const hangs = `case "$4" in bad*) [ -e "$HOME/$4" ] && exec sleep 300; touch "$HOME/$4"; exit 1;; esac`
    const { poller, polled, watch } = open({
      fakeGit: `${hangs}; printf '%s\\t%s\\n' ${'a'.repeat(40)} "$5"`,
    })
    const bad = Array.from({ length: 9 }, (_, n) => [`p${n}`, [git(`bad:${n}`)]] as const)

    watch({ ...Object.fromEntries(bad), good: [git('good:x')] })
    await expect.poll(() => poller.problems().length).toBe(9)
    const before = polled.length

    await expect.poll(() => polled.length).toBeGreaterThan(before + 20)
  })

  it('removes the mirrors of what is watched no longer, also of an earlier run of the service', async () => {
    const { home, poller, watch } = open({ interval: 600_000 })
    const folder = join(home, 'materials')
    mkdirSync(join(folder, 'left', 'over'), { recursive: true })
    const origin = gitOrigin(join(home, 'origin'))
    const described = { p: [git(origin.url, { branch: 'trunk' })] }
    const [fingerprint = ''] = watch(described)
    const span = { after: null, upTo: origin.material(1).revision }
    expect(await poller.changes(fingerprint, span)).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([fingerprint])

    watch({})

    await expect.poll(() => readdirSync(folder)).toEqual([])
    watch(described)
    expect(await poller.changes(fingerprint, span)).toHaveLength(1)
  })

  it('removes no mirror that a look for one run reads, whatever others look for meanwhile', async () => {
    const { home, poller } = open({
      fakeGit: `case "$*" in *slow*)
        touch "$HOME/begun"
        while [ ! -e "$HOME/go" ]; do sleep 0.02; done
        [ -d "$GIT_DIR" ] || exit 1
      esac
      printf '%s\\t%s\\n' ${'a'.repeat(40)} "$5"`,
    })
    const [slow, quick] = watchedMaterials(
      pipelinesOf({
        pipelines: [
          {
            name: 'p',
            materials: [git('host:slow', { dest: 'c' }), git('host:quick', { dest: 'd' })],
          },
        ],
      }),
    )
    if (!slow || !quick) throw new Error('no materials')

    const looked = poller.pollOnce(slow.material, 'p')
    await expect.poll(() => existsSync(join(home, 'begun'))).toBe(true)
    await poller.pollOnce(quick.material, 'q')
    await expect.poll(() => readdirSync(join(home, 'materials'))).not.toContain(quick.fingerprint)
    writeFileSync(join(home, 'go'), '')

    expect(await looked).toBe('a'.repeat(40))
  })

  it('keeps a watch that the configuration did not change, and drops one that is gone', async () => {
    const { home, poller, polled, watch } = open({ interval: 600_000 })
    const { url } = gitOrigin(join(home, 'origin'))
    const [fingerprint = ''] = watch({ p: [git(url, { branch: 'trunk' })] })
    await expect.poll(() => polled.length).toBe(1)

    watch({ p: [git(url, { branch: 'trunk' })], q: [git(url, { branch: 'trunk', dest: 'x' })] })
    expect(poller.latest(fingerprint)).not.toBe(null)
    watch({})
    expect(poller.latest(fingerprint)).toBe(null)
    await expect(poller.poll(fingerprint)).rejects.toThrow('no longer in the configuration')
    expect(polled).toHaveLength(1)
  })
})
