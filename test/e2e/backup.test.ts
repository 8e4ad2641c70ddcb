import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { backUp, checkCodes, entriesOf, placesIn, restoreNew } from '../support/service/backups.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { command } from '../support/programs/command.ts'
import { run, start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { DatabaseSync } from '../../src/storage/sqlite-engine.ts'
import { until } from '../support/programs/until.ts'

const SECRET = 'hunter2-in-plain'
const ARTIFACT = 'app/1/test/1/unit/out/report.txt'

function withSecret(): string {
  const svn = `<svn url="https://example.org/a" username="ana" password="${SECRET}" />`
  return documentWith('a').replace('<git url="https://example.org/a.git" />', svn)
}

/** A service with some history, a secret, an agent and an artifact. */
async function aService(): Promise<TestService & { agent: CallingAgent }> {
  const service = await startService()
  for (const name of ['one', 'two']) await save(service, documentWith(name))
  await save(service, withSecret())
  const agent = new CallingAgent(service)
  await agent.register()
  const artifact = join(service.folder, 'state', 'artifacts', ARTIFACT)
  mkdirSync(join(artifact, '..'), { recursive: true })
  writeFileSync(artifact, 'all passed\n')
  return { ...service, agent }
}

/** The state folder's files that stay there whether a service runs or not. */
function namesIn(folder: string): string[] {
  const names = readdirSync(join(folder, 'state')).toSorted()
  return names.filter((name) => !/^lock(?:\.system)?$|-(?:wal|shm)$/.test(name))
}

/** The flags that name places outside the state folder. */
function elsewhere(folder: string): string[] {
  const [keys, artifacts] = [join(folder, 'keys', 'secret'), join(folder, 'files')]
  return ['--secret-keys', keys, '--artifacts-dir', artifacts]
}

async function revisionsOf(service: TestService): Promise<unknown> {
  return (await service.fetch('/api/config/revisions')).json()
}

describe('cairn backup', () => {
  it(
    'takes keys and artifacts from where they are, and puts them where they belong',
    { tags: ['long'] },
    async () => {
      const [folder, other, file] = [tempDir(), tempDir(), join(tempDir(), 'backup.tar.gz')]
      const service = await startService(elsewhere(folder), folder)
      await save(service, withSecret())
      const artifact = join('files', ARTIFACT)
      mkdirSync(join(folder, artifact, '..'), { recursive: true })
      writeFileSync(join(folder, artifact), 'all passed\n')

      const backedUp = await backUp(folder, file, '--artifacts', ...elsewhere(folder))
      const restored = await command(['restore', file, ...placesIn(other), ...elsewhere(other)])

      expect([backedUp.code, restored.code]).toEqual([0, 0])
      const named = [...restored.stdout.matchAll(/^(\/[^:\s]+)(?=:|$)/gm)].map(([path]) => path)
      expect(named).toEqual(expect.arrayContaining([join(other, 'keys', 'secret')]))
      expect(named).toHaveLength(4)
      expect(named.filter((path) => !existsSync(path))).toEqual([])
      for (const place of [folder, other]) {
        expect(existsSync(join(place, 'keys', 'secret'))).toBe(true)
        expect(readFileSync(join(place, artifact), 'utf8')).toBe('all passed\n')
        expect(existsSync(join(place, 'state', 'secret.keys'))).toBe(false)
        expect(existsSync(join(place, 'state', 'artifacts'))).toBe(false)
      }
      expect(readFileSync(join(other, 'keys', 'secret'), 'utf8')).toBe(
        readFileSync(join(folder, 'keys', 'secret'), 'utf8'),
      )
    },
  )

  it(
    'leaves out an artifact that is removed while it is made, and keeps the others',
    { tags: ['long'] },
    async () => {
      const { folder } = await aService()
      const kept = join(folder, 'state', 'artifacts', 'app/1/test/1/unit/many')
      const [places, file] = [tempDir(), 'backup.tar.gz']
      mkdirSync(join(kept, 'y-folder'), { recursive: true })
      // Takes a while to write, and is before the others wherever names are in order.
      const large = Array.from({ length: 4 }, (_, n) => `a-large-${n}`)
      for (const name of large) writeFileSync(join(kept, name), randomBytes(8 * 1024 * 1024))
      const small = Array.from({ length: 40 }, (_, n) => `z-small-${n}`)
      for (const name of [...small, 'y-folder/file']) writeFileSync(join(kept, name), name)
      const archiveSize = () => {
        const [draft] = readdirSync(places).filter((name) => name.includes('.draft-'))
        const archive = join(places, draft ?? 'none', 'archive')
        return existsSync(archive) ? statSync(archive).size : 0
      }

      const making = backUp(folder, join(places, file), '--artifacts')
      await until(() => archiveSize() > 100_000)
      for (const name of [...small, 'y-folder']) rmSync(join(kept, name), { recursive: true })
      const made = await making
      const restored = await restoreNew(join(places, file))

      expect(made.stderr).toMatch(/with artifacts\n.*keep it safe\n$/)
      expect([made.code, restored.code]).toEqual([0, 0])
      const back = join(restored.folder, 'state', 'artifacts', 'app/1/test/1/unit')
      for (const name of large) {
        expect(readFileSync(join(back, 'many', name)).equals(readFileSync(join(kept, name)))).toBe(
          true,
        )
      }
      expect(readFileSync(join(back, 'out/report.txt'), 'utf8')).toBe('all passed\n')
      expect(entriesOf(join(places, file)).join()).not.toContain('z-small-39')
    },
  )

  it('is not written into the repository, nor among the artifacts', async () => {
    const { folder, repository } = await aService()
    const artifacts = join(folder, 'state', 'artifacts')
    symlinkSync(repository, join(folder, 'link'))

    const places = [repository, join(repository, '.git'), join(folder, 'link'), artifacts]
    const made: Awaited<ReturnType<typeof backUp>>[] = []
    for (const place of places) made.push(await backUp(folder, join(place, 'backup.tar.gz')))

    expect(made.map(({ code }) => code)).toEqual([1, 1, 1, 1])
    expect(made[0]?.stderr).toMatch(/backup\.tar\.gz lies in the repository .*config-repo: name a/)
    expect(made[3]?.stderr).toContain('lies in the folder of artifacts')
    for (const place of places) expect(readdirSync(place).join()).not.toContain('backup')
    expect(git(repository, 'status', '--porcelain')).toBe('')
  })

  it('saves a running service, which is served again from what is restored', async () => {
    const service = await aService()
    const [file, folder] = [join(tempDir(), 'backup.tar.gz'), tempDir()]

    const made = await run(['backup', file, ...placesIn(service.folder), '--artifacts'])
    const restored = await run(['restore', file, ...placesIn(folder)])
    const again = await startService([], folder)

    expect(made).toMatchObject({ code: 0, stdout: '' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(made.stderr).toMatch(/4 revisions up to .* with artifacts\n.*keep it safe\n$/)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(await revisionsOf(again)).toEqual(await revisionsOf(service))
    const current = await (await service.fetch('/api/admin/config.xml')).text()
    expect(await (await again.fetch('/api/admin/config.xml')).text()).toBe(current)
    expect(git(again.repository, 'status', '--porcelain')).toBe('')
    expect(await (await again.fetch('/api/agents')).text()).toContain(service.agent.uuid)
    const artifact = join(folder, 'state', 'artifacts', ARTIFACT)
    expect(readFileSync(artifact, 'utf8')).toBe('all passed\n')
  })

  it(
    'saves a stopped service, on standard output if that is named, the keys of its secrets included',
    { tags: ['long', 'bash', 'tar'] },
    async () => {
      const service = await aService()
      await service.close()
      const file = join(tempDir(), 'printed.tar.gz')
      const line = `"$0" dist/main.js backup - ${placesIn(service.folder).join(' ')} > ${file}`

      execFileSync('bash', ['-c', line, process.execPath], { stdio: 'pipe' })
      const restored = await restoreNew(file)
      const rotated = await command(['secrets', 'rotate', ...placesIn(restored.folder)])

      expect(entriesOf(file).join()).not.toContain('artifacts')
      expect(await checkCodes(restored.folder)).toEqual([0, 0])
      expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 secret is/) })
    },
  )

  it(
    'brings back other branches and tags, other files in git alone, and which branch was checked out',
    { tags: ['long'] },
    async () => {
      const service = await aService()
      await service.close()
      writeFileSync(join(service.repository, 'notes.txt'), 'by hand\n')
      git(service.repository, 'add', 'notes.txt')
      git(service.repository, 'commit', '--quiet', '-m', 'Notes')
      git(service.repository, 'branch', '-m', 'live')
      git(service.repository, 'tag', 'release', 'HEAD~1')
      git(service.repository, 'branch', 'try-out', 'HEAD~2')
      const file = join(tempDir(), 'backup.tar.gz')

      await backUp(service.folder, file)
      const { folder } = await restoreNew(file)

      const repository = join(folder, 'config-repo')
      const refs = ['for-each-ref', '--format=%(refname) %(objectname)']
      expect(git(repository, ...refs)).toBe(git(service.repository, ...refs))
      expect(git(repository, 'symbolic-ref', 'HEAD')).toBe('refs/heads/live\n')
      expect(git(repository, 'status', '--porcelain')).toBe('')
      expect(git(repository, 'show', 'HEAD:notes.txt')).toBe('by hand\n')
      expect(existsSync(join(repository, 'notes.txt'))).toBe(false)
    },
  )

  it(
    'names a copy of damaged data unverified, says what is wrong, and ends with 1',
    { tags: ['long'] },
    async () => {
      const service = await aService()
      await service.close()
      const state = new DatabaseSync(join(service.folder, 'state', 'state.sqlite'))
      state.exec(`UPDATE document SET json = '{}' WHERE key = '${service.agent.uuid}'`)
      state.close()
      const folder = tempDir()

      const made = await backUp(service.folder, join(folder, 'backup.tar.gz'))

      expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining(service.agent.uuid) })
      expect(readdirSync(folder)).toEqual(['backup.tar.gz.unverified'])
    },
  )

  it('makes nothing where there is no service', async () => {
    const [nowhere, folder] = [tempDir(), tempDir()]

    const made = await backUp(nowhere, join(folder, 'backup.tar.gz'))

    expect(made.code).toBe(1)
    expect(made.stderr).toContain('state.sqlite does not exist')
    expect([readdirSync(folder), readdirSync(nowhere)]).toEqual([[], []])
  })
})

describe('cairn restore', () => {
  it('refuses folders that hold something, and leaves them alone', { tags: ['long'] }, async () => {
    const service = await aService()
    const file = join(tempDir(), 'backup.tar.gz')
    await backUp(service.folder, file)
    const before = namesIn(service.folder)

    const held = await run(['restore', file, ...placesIn(service.folder)])
    await service.close()
    const full = await command(['restore', file, ...placesIn(service.folder)])

    expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by process') })
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
    expect(namesIn(service.folder)).toEqual(before)
  })

  it(
    'refuses folders of which one lies in the other, also by links, and makes nothing',
    { tags: ['long'] },
    async () => {
      const service = await aService()
      const [file, folder] = [join(tempDir(), 'backup.tar.gz'), tempDir()]
      await backUp(service.folder, file)
      mkdirSync(join(folder, 'other/kept'), { recursive: true })
      symlinkSync('other/kept', join(folder, 'link'))
      const before = readdirSync(folder, { recursive: true })

      for (const [repository, state, place] of [
        ['repo', 'repo/state', 'repo/state lies in the configuration repository'],
        ['state/repo', 'state', 'state/repo lies in'],
        ['other', 'link', 'link lies in the configuration repository'],
      ]) {
        const repositoryIn = ['--config-repo', join(folder, `${repository}`)]
        const stateIn = ['--state-dir', join(folder, `${state}`)]
        const restored = await command(['restore', file, ...repositoryIn, ...stateIn])
        expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining(`${place}`) })
        expect(readdirSync(folder, { recursive: true })).toEqual(before)
      }
    },
  )

  it(
    'refuses an archive that was cut short, and leaves the folders empty',
    { tags: ['long'] },
    async () => {
      const service = await aService()
      const file = join(tempDir(), 'backup.tar.gz')
      await backUp(service.folder, file)
      truncateSync(file, statSync(file).size - 100)

      const restored = await restoreNew(file)

      expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') })
      expect(readdirSync(restored.folder)).toEqual([])
    },
  )

  it('refuses an archive of something else', { tags: ['tar'] }, async () => {
    const folder = tempDir()
    writeFileSync(join(folder, 'manifest.json'), '{"format":"other"}')
    const file = join(folder, 'other.tar.gz')
    execFileSync('tar', ['-czf', file, '-C', folder, 'manifest.json'])

    const restored = await restoreNew(file)

    expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a backup') })
  })

  it(
    'that is killed keeps a service from starting, and is made again into empty folders',
    { tags: ['long'] },
    async () => {
      const service = await aService()
      const file = join(tempDir(), 'backup.tar.gz')
      await backUp(service.folder, file)
      const folder = tempDir()
      const restore = start(['restore', file, ...placesIn(folder)])
      await until(() => existsSync(join(folder, 'state', 'restore.unfinished')))
      restore.process.kill('SIGKILL')
      await restore.ended()

      const served = await run(['serve', '--port', '0', ...placesIn(folder)])
      const over = await command(['restore', file, ...placesIn(folder)])
      const anew = await restoreNew(file)

      expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('was not finished') })
      expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining('into empty folders') })
      expect(anew.code).toBe(0)
    },
  )

  it('that was not finished keeps a service from starting', async () => {
    const folder = tempDir()
    mkdirSync(join(folder, 'state'))
    writeFileSync(join(folder, 'state', 'restore.unfinished'), '')

    const served = await start(['serve', '--port', '0', ...placesIn(folder)]).ended()

    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('was not finished') })
    expect(existsSync(join(folder, 'config-repo'))).toBe(false)
  })
})
