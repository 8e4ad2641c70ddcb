import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents.ts'
import { repositoryUrl } from '../support/git-client.ts'
import { git, gitBytes, gitLine, identityOf, readObjects } from '../support/git.ts'
import { save } from '../support/saving.ts'
import { startService } from '../support/service.ts'
import { SHARED_DATA } from '../support/shared-data.ts'
import { run, start } from '../support/start.ts'
import { tempDir } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

const FILE = 'conf.xml'
const SECRET = 'hunter2-in-plain'
const withSecret = (name: string) =>
  documentWith(name).replace(
    /<git url.*\/>/,
    `<svn url="https://example.org/a" username="ana" password="${SECRET}" />`,
  )

interface Facts {
  readonly user: string
  readonly time: number
  readonly md5: string
}

function md5(bytes: string | Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

/** A repository of somebody else, with its documents in a file of another name. */
class Source {
  readonly folder = tempDir()
  #time = 1_600_000_000

  constructor() {
    git(this.folder, 'init', '--quiet', '--initial-branch=trunk')
  }

  commit(name: string, document: string | null, message = `By ${name}`): string {
    this.#time += 3_600
    if (document !== null) writeFileSync(join(this.folder, FILE), document)
    git(this.folder, 'add', '--all')
    const date = `${this.#time} +0530`
    const env = { ...identityOf(name), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    gitBytes(this.folder, ['commit', '--quiet', '--allow-empty', '-m', message], { env })
    return gitLine(this.folder, 'rev-parse', 'HEAD')
  }
}

/** Where a service would find its things. */
class Target {
  readonly cwd = tempDir()
  readonly repository = join(this.cwd, 'config-repo')

  import(from: string, ...flags: readonly string[]) {
    return run(['import', from, '--file', FILE, ...flags], { cwd: this.cwd })
  }

  git(...args: readonly string[]): string {
    return git(this.repository, ...args)
  }

  log(format: string): string[] {
    return this.git('log', '--date-order', `--format=${format}`).trim().split('\n')
  }

  /** What is wrong with the repository. */
  complaints(): string {
    return this.git('fsck', '--strict', '--no-dangling') + this.git('status', '--porcelain')
  }
}

/** Users, times and digests, newest first, as a service tells them. */
async function factsOf(target: Target, ...flags: readonly string[]): Promise<Facts[]> {
  const service = await startService(flags, target.cwd)
  const revisions: unknown = await (await service.fetch('/api/config/revisions')).json()
  await service.close()
  const list: { username: string; time: number; md5: string }[] = Array.isArray(revisions)
    ? revisions
    : []
  return list.map(({ username: user, time, md5: digest }) => ({ user, time, md5: digest }))
}

describe('cairn import', { timeout: 120_000 }, () => {
  it('brings in what is valid, with authors, times and digests, and says what it left out', async () => {
    const source = new Source()
    source.commit('Ana', null, 'Nothing yet')
    source.commit('Ana', documentWith('one'), 'Begin\n\nWith a reason.')
    const invalid = source.commit('Bob', '<cruise\n')
    source.commit('Bob', documentWith('two'))
    source.commit('Cleo', null, 'Elsewhere')
    const last = source.commit('Cleo', documentWith('two', 'three'))
    const target = new Target()

    const { code, stdout } = await target.import(source.folder)

    expect(code).toBe(0)
    expect(stdout).toContain(`Imported 3 commits of ${source.folder}, branch trunk\n`)
    expect(stdout).toContain(`1 left out: without ${FILE}\n`)
    expect(stdout).toContain('1 left out: the document is as before\n')
    expect(stdout).toMatch(new RegExp(`${invalid.slice(0, 10)} by Bob: ${FILE}:\\d+:\\d+: .`))
    expect(target.log('%an <%ae> %ad %s')).toEqual([
      'Cleo <cleo@example.org> Sun Sep 13 23:56:40 2020 +0530 By Cleo',
      'Bob <bob@example.org> Sun Sep 13 21:56:40 2020 +0530 By Bob',
      'Ana <ana@example.org> Sun Sep 13 19:56:40 2020 +0530 Begin',
    ])
    expect(target.git('log', '-1', '--format=%b', 'HEAD~2')).toContain('With a reason.')
    expect(target.git('log', '-1', '--format=%(trailers:key=Imported-Commit,valueonly)')).toContain(
      last,
    )
    expect(await factsOf(target)).toEqual([
      { user: 'Cleo', time: 1_600_021_600_000, md5: md5(documentWith('two', 'three')) },
      { user: 'Bob', time: 1_600_014_400_000, md5: md5(documentWith('two')) },
      { user: 'Ana', time: 1_600_007_200_000, md5: md5(documentWith('one')) },
    ])
    expect(target.complaints()).toBe('')
  })

  it('keeps branches and merges as they were', async () => {
    const source = new Source()
    source.commit('Ana', documentWith('one'))
    git(source.folder, 'checkout', '-q', '-b', 'side')
    source.commit('Bob', documentWith('side'))
    git(source.folder, 'checkout', '-q', 'trunk')
    source.commit('Cleo', documentWith('main'))
    git(source.folder, 'merge', '-q', '-s', 'ours', '--no-edit', 'side')
    const target = new Target()

    await target.import(source.folder)

    expect(graphOf(target.repository)).toBe(graphOf(source.folder))
  })

  it('comes upon what is there, and later brings only what is new', async () => {
    const source = new Source()
    source.commit('Ana', documentWith('one'))
    const target = new Target()
    const before = await startService([], target.cwd)
    await save(before, documentWith('local'))
    await before.close()
    const first = await target.import(source.folder)
    const between = await startService([], target.cwd)
    await save(between, documentWith('local again'.replace(' ', '-')))
    await between.close()
    source.commit('Bob', null, 'Elsewhere')
    const idle = await target.import(source.folder)
    source.commit('Cleo', documentWith('two'))

    const { stdout } = await target.import(source.folder)

    expect([first.code, idle.code]).toEqual([0, 0])
    expect(idle.stdout).toContain('Imported 0 commits')
    expect(stdout).toContain('Imported 1 commits')
    expect(target.log('%an')).toEqual(['Cleo', 'admin', 'Ana', 'admin', 'Upgrade'])
    expect(target.git('show', 'HEAD:config.xml')).toBe(documentWith('two'))
    expect(target.complaints()).toBe('')
  })

  it('seals plain secrets, the same in the same way', async () => {
    const source = new Source()
    source.commit('Ana', withSecret('one'))
    source.commit('Bob', withSecret('two'))
    const target = new Target()

    const { stdout } = await target.import(source.folder)

    const documents = readObjects(target.repository, ['HEAD:config.xml', 'HEAD~1:config.xml'])
    const [two = '', one = ''] = documents.map(String)
    expect(stdout).toContain('2 had plain secrets')
    expect(target.git('log', '-p', '--all')).not.toContain(SECRET)
    expect(/encryptedPassword="(\S+)"/.exec(one)?.[1]).toBe(
      /encryptedPassword="(\S+)"/.exec(two)?.[1],
    )
  })

  it('goes on where it was killed', async () => {
    const source = new Source()
    const names = Array.from({ length: 700 }, (_, n) => `p${n}`)
    gitBytes(source.folder, ['fast-import', '--quiet'], { input: streamOf(names) })
    const target = new Target()
    const killed = start(['import', source.folder, '--file', FILE, '--branch', 'many'], {
      cwd: target.cwd,
    })
    await until(() => killed.stderr.includes('560 of 700'), 60_000)
    killed.process.kill('SIGKILL')
    await killed.ended()

    const { code, stdout } = await target.import(source.folder, '--branch', 'many')

    expect(code).toBe(0)
    expect(stdout).toMatch(/[1-9]\d* were dealt with before/)
    expect(target.log('%an')).toEqual(names.toReversed())
    expect(await factsOf(target)).toEqual(
      names
        .map((name, n) => ({ user: name, time: timeOf(n) * 1_000, md5: md5(documentWith(name)) }))
        .toReversed(),
    )
    expect(target.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(target.complaints()).toBe('')
  })

  it('takes the branch and the time that it is told', async () => {
    const source = new Source()
    source.commit('Ana', documentWith('one'))
    git(source.folder, 'checkout', '-q', '-b', 'other')
    source.commit('Bob', documentWith('two'))
    source.commit('Cleo', documentWith('three'))
    const target = new Target()

    const since = new Date(1_600_005_000_000).toISOString()
    const { stdout } = await target.import(source.folder, '--branch', 'other', '--since', since)

    expect(stdout).toContain('1 left out: older than --since')
    expect(target.log('%an')).toEqual(['Cleo', 'Bob'])
  })

  it('reads a repository over HTTP, and shows no password', async () => {
    const service = await startService()
    await save(service, documentWith('one'))
    const target = new Target()

    const { code, stdout, stderr } = await run(['import', repositoryUrl(service.url)], {
      cwd: target.cwd,
    })

    expect(code).toBe(0)
    expect(target.log('%an %s')).toEqual(
      git(service.repository, 'log', '--format=%an %s').trim().split('\n'),
    )
    expect(stdout + stderr).not.toMatch(/correct( |%20)horse/)
  })

  it('refuses what it cannot do with one clear line', async () => {
    const target = new Target()
    const source = new Source()
    source.commit('Ana', documentWith('one'))
    const program = start(['serve', '--port', '0', '--admin-password', 'p'], { cwd: target.cwd })
    await program.line(/^cairn ready (\S+)\n$/)
    const lineOf = async (...args: readonly string[]) =>
      (await run(args, { cwd: target.cwd })).stderr.trim().split('\n').at(-1)

    const served = await lineOf('import', source.folder, '--file', FILE)
    program.process.kill('SIGTERM')
    await program.ended()
    const elsewhere = ['--config-repo', join(tempDir(), 'r')]

    expect(served).toContain(`in use by process ${program.process.pid}`)
    expect(await lineOf('import', '/nowhere')).toContain('/nowhere')
    expect(await lineOf('import', source.folder, '--branch', 'none')).toContain('none')
    expect(await lineOf('import', source.folder, ...elsewhere)).toContain(
      'No commit has a valid config.xml: 1 are without it',
    )
    expect(await lineOf('import', source.folder, '--since', 'tomorrow')).toContain('is not a date')
    expect(await lineOf('import')).toContain('use import REPO')
  })

  it.skipIf(SHARED_DATA === null)(
    'brings in the 551 commits of a real server with their users, times and digests',
    { timeout: 300_000 },
    async () => {
      const [target, clone] = [new Target(), tempDir()]
      const bundle = `${SHARED_DATA}/real-config-history.bundle`
      git(clone, 'clone', '--quiet', '--branch=master', bundle, '.')

      const file = ['--file', 'cruise-config.xml']
      const { code, stdout } = await run(['import', bundle, ...file], { cwd: target.cwd })

      expect({ code, stdout }).toMatchObject({ stdout: expect.stringContaining('551 commits') })
      expect(await factsOf(target)).toEqual(recordedIn(clone))
      expect(target.complaints()).toBe('')
    },
  )
})

function graphOf(folder: string): string {
  return git(folder, 'log', '--graph', '--format=%an %at')
}

function timeOf(place: number): number {
  return 1_500_000_000 + place * 60
}

/** Commits on the branch `many`, one for each name, for `git fast-import`. */
function streamOf(names: readonly string[]): string {
  const commits = names.map((name, n) => {
    const who = `${name} <${name}@example.org> ${timeOf(n)} +0000`
    const document = documentWith(name)
    const head = `commit refs/heads/many\nauthor ${who}\ncommitter ${who}\ndata 2\nx\n`
    return `${head}M 100644 inline ${FILE}\ndata ${Buffer.byteLength(document)}\n${document}\n`
  })
  return commits.join('')
}

/** What the messages of the original and the bytes of the file say, read independently, newest first. */
function recordedIn(folder: string): Facts[] {
  const lines = git(folder, 'log', '--date-order', '--format=%H%x00%an%x00%at%x00%s').trim()
  const commits = lines.split('\n').map((line) => line.split('\0'))
  const documents = readObjects(
    folder,
    commits.map(([sha]) => `${sha}:cruise-config.xml`),
  )
  return commits.map(([, author = '', seconds = '', subject = ''], place) => {
    const [, user, time] = /^user:(.*?)\|timestamp:(\d+)\|/.exec(subject) ?? []
    return {
      user: user ?? author,
      time: Number(time ?? Number(seconds) * 1_000),
      md5: md5(documents[place] ?? ''),
    }
  })
}
