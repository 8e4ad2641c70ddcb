import { readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { LATER_DOCUMENTS } from '../support/documents/later-versions.ts'
import { git, gitBytes, readObjects } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService } from '../support/service/service.ts'
import { run, start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'
import { HOSTILE_COMMITS, writeCommit } from '../support/history/hostile-commits.ts'
import { FILE, md5, Source, Target, factsOf } from '../support/history/import-places.ts'

const SECRET = 'hunter2-in-plain'

const withSecret = (name: string) =>
  documentWith(name).replace(
    /<git url.*\/>/,
    `<svn url="https://example.org/a" username="ana" password="${SECRET}" />`,
  )

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

describe('cairn import', { timeout: 120_000 }, () => {
  it('leaves out no document of a later version, whatever stood in its schema alone', async () => {
    const [source, target] = [new Source(), new Target()]
    for (const document of LATER_DOCUMENTS) source.commit('Ana', document)

    const { code, stdout } = await target.import(source.folder)

    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(await factsOf(target)).toHaveLength(LATER_DOCUMENTS.length)
  })

  it(
    'brings SHA-256 names into a repository with SHA-1, and back',
    { tags: ['long'] },
    async () => {
      const [target, back] = [new Target(), new Target()]
      const source = new Source('sha256')
      for (const name of ['Ana', 'Bob']) source.commit(name, documentWith(name.toLowerCase()))
      const newest = source.commit('Cleo', documentWith('three'))

      const there = await target.import(source.folder)
      const again = await target.import(source.folder)
      const flags = ['--object-format', 'sha256', '--file', 'config.xml']
      const andBack = await back.import(target.repository, ...flags)

      expect([there.code, again.code, andBack.code]).toEqual([0, 0, 0])
      expect(again.stdout).toContain('3 were dealt with before\n')
      expect(target.git('rev-parse', 'HEAD')).toMatch(/^[0-9a-f]{40}\n$/)
      expect(target.git('log', '-1', '--format=%B')).toContain(`Imported-Commit: ${newest}\n`)
      expect(back.git('rev-parse', 'HEAD')).toMatch(/^[0-9a-f]{64}\n$/)
      expect(back.log('%an %at')).toEqual(target.log('%an %at'))
      expect(target.complaints() + back.complaints()).toBe('')
    },
  )

  it(
    'brings in what is valid, with authors, times and digests, and says what it left out',
    { tags: ['long'] },
    async () => {
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
      expect(
        target.git('log', '-1', '--format=%(trailers:key=Imported-Commit,valueonly)'),
      ).toContain(last)
      expect(await factsOf(target)).toEqual([
        { user: 'Cleo', time: 1_600_021_600_000, md5: md5(documentWith('two', 'three')) },
        { user: 'Bob', time: 1_600_014_400_000, md5: md5(documentWith('two')) },
        { user: 'Ana', time: 1_600_007_200_000, md5: md5(documentWith('one')) },
      ])
      expect(target.complaints()).toBe('')
    },
  )

  it('leaves nothing for the doctor where it takes no commit', async () => {
    const [source, target] = [new Source(), new Target()]
    source.commit('Ana', documentWith('one'))
    const first = await target.import(source.folder)
    const other = new Source()
    other.commit('Bob', null)

    const { code, stdout } = await target.import(other.folder)

    expect(first.stdout).toMatch(/^Imported 1 commit of /)
    expect([code, stdout]).toEqual([0, expect.stringContaining('Imported 0 commits')])
    expect(await run(['doctor'], { cwd: target.cwd })).toMatchObject({ code: 0 })
  })

  it('names commits with a document that is too large to be read', { tags: ['long'] }, async () => {
    const [source, target] = [new Source(), new Target()]
    source.commit('ana', documentWith('one'))
    truncateSync(join(source.folder, FILE), 100_000_000)
    const large = source.commit('bob', null)
    source.commit('cleo', documentWith('two'))

    const { code, stdout } = await target.import(source.folder)

    expect(code).toBe(0)
    expect(stdout).toMatch(/^Imported 2 commits/)
    expect(stdout).toContain('     1 left out: too large\n')
    expect(stdout).toContain(`${large.slice(0, 10)} by bob: ${FILE}: it has 100000000 bytes\n`)
    expect(stdout).not.toContain('without')
  })

  it('brings in what no honest tool commits, with sane facts', { tags: ['long'] }, async () => {
    const source = new Source()
    let head = source.commit('Ana', documentWith('one'))
    for (const [n, raw] of Object.values(HOSTILE_COMMITS).entries()) {
      head = writeCommit(source.folder, head, raw, source.commit('Ana', documentWith(`p${n}`)))
    }
    git(source.folder, 'reset', '--quiet', '--hard', head)
    const target = new Target()

    const { code, stdout } = await target.import(source.folder)

    expect(code).toBe(0)
    expect(stdout).toContain(`Imported ${1 + Object.keys(HOSTILE_COMMITS).length} commits`)
    for (const { user, time } of await factsOf(target)) {
      expect(new Date(time).getUTCFullYear()).toBeLessThan(10_000)
      expect(user).not.toMatch(/\p{Cc}/u)
    }
    expect(target.git('status', '--porcelain')).toBe('')
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

  it(
    'comes upon what is there, and later brings only what is new',
    { tags: ['long'] },
    async () => {
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
      expect(stdout).toContain('Imported 1 commit of')
      expect(target.log('%an')).toEqual(['Cleo', 'admin', 'Ana', 'admin', 'Upgrade'])
      expect(target.git('show', 'HEAD:config.xml')).toBe(documentWith('two'))
      expect(target.complaints()).toBe('')
    },
  )

  it('brings no commit that the branch has itself, as from a clone of it', async () => {
    const target = new Target()
    const service = await startService([], target.cwd)
    await save(service, documentWith('local'))
    await service.close()
    const clone = tempDir()
    const flags = ['--file', 'config.xml']
    git(clone, 'clone', '--quiet', target.repository, '.')
    writeFileSync(join(clone, 'config.xml'), documentWith('local', 'cloned'))
    git(clone, 'commit', '--quiet', '--all', '--message', 'In a clone')

    const own = await target.import(target.repository, ...flags)
    const cloned = await target.import(clone, ...flags)

    expect([own.code, cloned.code]).toEqual([0, 0])
    expect(own.stdout).toContain('Imported 0 commits')
    expect(cloned.stdout).toContain('Imported 1 commit of')
    expect(target.log('%an')).toEqual(['Gil', 'admin', 'Upgrade'])
    expect(target.complaints()).toBe('')
  })

  it('seals plain secrets, the same in the same way', { tags: ['long'] }, async () => {
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

  it('makes nothing where the state would lie in the repository', async () => {
    const [source, target] = [new Source(), new Target()]
    source.commit('ana', documentWith('one'))

    const refused = await target.import(
      source.folder,
      '--state-dir',
      join(target.repository, 'state'),
    )

    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('lies in the configuration repository')
    expect(readdirSync(target.cwd)).toEqual([])
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
})
