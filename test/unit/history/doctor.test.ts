import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Examination, examineRepository } from '../../../src/history/doctor/examine.ts'
import { documentOf, HistoryFolder, save } from '../../support/history-folder.ts'
import { TempFolder } from '../../support/temp-folder.ts'

function states({ findings }: Examination): string[] {
  return findings.map(({ state }) => state)
}

/** Puts a file of other content in the place of one that may be read-only. */
function damage(path: string, content = ''): void {
  rmSync(path, { force: true })
  writeFileSync(path, content)
}

function asideNames({ asideFolder }: Examination): string[] {
  const all = readdirSync(asideFolder ?? '', { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile()).map(({ name }) => name)
}

describe('examineRepository', () => {
  let folder: HistoryFolder
  let before: unknown

  beforeEach(async () => {
    folder = new HistoryFolder()
    const history = await folder.open()
    for (const name of ['one', 'two', 'three']) await save(history, documentOf(name))
    before = history.list({ offset: 0, limit: 9 })
    await folder.close()
  })
  afterEach(() => folder[Symbol.asyncDispose]())

  function examine(repair: boolean, ...donors: string[]): Promise<Examination> {
    return examineRepository({ ...folder.options(), repair, donors, clock: Date.now })
  }
  function mend(...donors: string[]): Promise<Examination> {
    return examine(true, ...donors)
  }
  const inGit = (...path: string[]) => join(folder.path, '.git', ...path)
  const line = (...args: string[]) => folder.git(...args).trim()
  const objectOf = (name: string) => {
    const oid = line('rev-parse', name)
    return inGit('objects', oid.slice(0, 2), oid.slice(2))
  }

  /** Everything is as it was: for the service, and for git. */
  async function expectWhole(): Promise<void> {
    const history = await folder.open()
    expect(history.list({ offset: 0, limit: 9 })).toEqual(before)
    expect(history.problem()).toBeNull()
    await save(history, documentOf('after'))
    await folder.close()
    expect(folder.complaints()).toBe('')
    expect((await examine(false)).findings).toEqual([])
  }

  it('finds nothing wrong with a sound one, and changes nothing', async () => {
    const index = readFileSync(inGit('index'))

    expect((await examine(false)).findings).toEqual([])
    expect((await mend()).findings).toEqual([])
    expect(readFileSync(inGit('index')).equals(index)).toBe(true)
    expect(existsSync(inGit('cairn', 'doctor'))).toBe(false)
  })

  it.each(['index.lock', 'HEAD.lock', 'packed-refs.lock', 'refs/heads/main.lock'])(
    'moves %s of a command that died out of the way',
    async (name) => {
      writeFileSync(inGit(name), 'half')

      const seen = await examine(false)
      const mended = await mend()

      expect([states(seen), states(mended)]).toEqual([['mendable'], ['mended']])
      expect(asideNames(mended)).toEqual([name.split('/').at(-1)])
      await expectWhole()
    },
  )

  it('leaves the lock of a process that has it open, and says whose it may be', async () => {
    await using handle = await open(inGit('index.lock'), 'w')
    await handle.write('half')

    const { findings } = await mend()

    expect(findings).toMatchObject([{ state: 'lost', what: expect.stringMatching(/process \d+/) }])
    expect(existsSync(inGit('index.lock'))).toBe(true)
    rmSync(inGit('index.lock'))
  })

  it('clears drafts away', async () => {
    writeFileSync(folder.file('.draft-0123456789abcdef'), 'x')
    writeFileSync(inGit('objects', 'pack', 'tmp_pack_abc'), 'x')
    writeFileSync(inGit('objects', 'tmp_obj_abc'), 'x')

    const mended = await mend()

    expect(states(mended)).toEqual(['mended', 'mended', 'mended'])
    expect(asideNames(mended).toSorted()).toEqual([
      '.draft-0123456789abcdef',
      'tmp_obj_abc',
      'tmp_pack_abc',
    ])
    await expectWhole()
  })

  it('clears away what a killed push left, unless a git is at work', async () => {
    const incoming = inGit('objects', 'tmp_objdir-incoming-aB1cD2')
    mkdirSync(join(incoming, 'pack'), { recursive: true })
    writeFileSync(join(incoming, 'pack', 'tmp_pack_abc'), 'x')
    const atWork = spawn('git', ['cat-file', '--batch'], { cwd: folder.path })
    await once(atWork, 'spawn')

    const waiting = await mend()
    atWork.stdin.end()
    await once(atWork, 'close')
    const mended = await mend()

    expect([states(waiting), states(mended)]).toEqual([[], ['mended']])
    expect(asideNames(mended)).toEqual(['tmp_pack_abc'])
    await expectWhole()
  })

  it('moves a damaged object aside that nothing needs', async () => {
    const oid = 'ab'.repeat(20)
    mkdirSync(inGit('objects', 'ab'), { recursive: true })
    damage(inGit('objects', 'ab', oid.slice(2)), 'not deflated')

    const mended = await mend()

    expect(states(mended)).toEqual(['mended'])
    await expectWhole()
  })

  it('writes the emptied document of the newest commit anew from the live file', async () => {
    damage(objectOf('HEAD:config.xml'))

    const seen = await examine(false)
    const mended = await mend()

    expect(states(seen)).toEqual(['mendable'])
    expect(states(mended)).toEqual(['mended', 'mended'])
    await expectWhole()
  })

  it('writes the torn tree of the newest commit anew from the index of git', async () => {
    const tree = objectOf('HEAD^{tree}')
    damage(tree, readFileSync(tree, 'latin1').slice(0, 5))

    expect(states(await mend())).toEqual(['mended', 'mended'])
    await expectWhole()
  })

  it('gets lost objects back from another repository, and says where from when there is none', async () => {
    using other = new TempFolder()
    folder.git('clone', '--quiet', '--bare', folder.path, other.file('clone.git'))
    for (const name of ['HEAD~1', 'HEAD~1^{tree}', 'HEAD~1:config.xml'].map(objectOf)) rmSync(name)

    const alone = await mend()
    const helped = await mend(other.file('clone.git'))

    expect(states(alone)).toContain('lost')
    expect(alone.findings.at(-1)?.remedy).toMatch(/--from REPOSITORY.*restore a backup/)
    expect(states(helped)).toEqual(['mended', 'mended', 'mended'])
    await expectWhole()
  })

  it('tells from its log what an emptied branch was', async () => {
    damage(inGit('refs', 'heads', 'main'))

    const seen = await examine(false)
    const mended = await mend()

    expect([states(seen), states(mended)]).toEqual([['mendable'], ['mended']])
    await expectWhole()
  })

  it('takes no branch back whose log does not tell what it was', async () => {
    damage(inGit('refs', 'heads', 'main'), '\0\0\0')
    rmSync(inGit('logs'), { recursive: true })

    const { findings } = await mend()

    expect(findings).toMatchObject([
      { state: 'lost', remedy: expect.stringContaining('git update-ref refs/heads/main') },
    ])
    expect(readFileSync(inGit('refs', 'heads', 'main'), 'utf8')).toBe('\0\0\0')
  })

  it.each(['', 'absent'])('sets HEAD to the only branch (%j)', async (content) => {
    if (content === 'absent') rmSync(inGit('HEAD'))
    else damage(inGit('HEAD'), content)

    expect(states(await mend())).toEqual(['mended'])
    await expectWhole()
  })

  it('makes a damaged index of git anew', async () => {
    damage(inGit('index'), 'DIRC junk')

    expect(states(await mend())).toEqual(['mended'])
    await expectWhole()
  })

  it('moves its own damaged index of revisions aside', async () => {
    const file = inGit('cairn', 'revisions')
    damage(file, `${readFileSync(file, 'utf8').slice(0, -20)}\n`)

    expect(states(await mend())).toEqual(['mended'])
    await expectWhole()
  })

  describe('with everything in one pack', () => {
    let pack = ''
    beforeEach(() => {
      folder.git('repack', '-a', '-d', '-q')
      folder.git('commit-graph', 'write')
      folder.git('multi-pack-index', 'write')
      const names = readdirSync(inGit('objects', 'pack'))
      pack = inGit('objects', 'pack', names.find((name) => name.endsWith('.pack')) ?? '')
    })

    it('indexes a pack anew whose index is missing or damaged', async () => {
      const index = pack.replace(/pack$/, 'idx')
      damage(index, 'junk')

      expect(states(await mend())).toContain('mended')
      rmSync(index)
      expect(states(await mend())).not.toContain('lost')
      await expectWhole()
    })

    it('moves damaged graphs aside', async () => {
      damage(inGit('objects', 'info', 'commit-graph'), 'CGPH junk')
      damage(inGit('objects', 'pack', 'multi-pack-index'), 'MIDX junk')

      expect(states(await mend())).toEqual(['mended', 'mended'])
      await expectWhole()
    })

    it('takes a damaged pack apart, and gets the rest from another repository', async () => {
      using other = new TempFolder()
      folder.git('clone', '--quiet', '--bare', folder.path, other.file('clone.git'))
      const bytes = readFileSync(pack)
      bytes.fill(0, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 20)
      damage(pack)
      writeFileSync(pack, bytes)

      const mended = await mend(other.file('clone.git'))

      expect(states(mended)).not.toContain('lost')
      expect(asideNames(mended)).toContain(pack.split('/').at(-1))
      await expectWhole()
    })
  })

  it('mends nothing while a service runs, but looks', async () => {
    const history = await folder.open()

    await expect(mend()).rejects.toThrow('in use by process')
    expect((await examine(false)).findings).toEqual([])
    expect(history.problem()).toBeNull()
  })
})
