// @module-tag long

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  quarantinedNames,
  damage,
  expectWhole,
  SickRepository,
  states,
} from '../../support/history/sick-repository.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

describe('examineRepository', () => {
  let sick: SickRepository
  beforeEach(async () => {
    sick = await SickRepository.open()
  })
  afterEach(() => sick[Symbol.asyncDispose]())

  it('finds nothing wrong with a sound one, and changes nothing', async () => {
    const index = readFileSync(sick.inGit('index'))

    expect((await sick.examine(false)).findings).toEqual([])
    expect((await sick.repair()).findings).toEqual([])
    expect(readFileSync(sick.inGit('index')).equals(index)).toBe(true)
    expect(existsSync(sick.inGit('cairn', 'doctor'))).toBe(false)
  })

  it.each(['index.lock', 'HEAD.lock', 'packed-refs.lock', 'refs/heads/main.lock'])(
    'moves %s of a command that died out of the way',
    async (name) => {
      writeFileSync(sick.inGit(name), 'half')

      const seen = await sick.examine(false)
      const repaired = await sick.repair()

      expect([states(seen), states(repaired)]).toEqual([['repairable'], ['repaired']])
      expect(quarantinedNames(repaired)).toEqual([name.split('/').at(-1)])
      await expectWhole(sick)
    },
  )

  it('leaves the lock of a process that has it open, and says whose it may be', async () => {
    await using handle = await open(sick.inGit('index.lock'), 'w')
    await handle.write('half')

    const { findings } = await sick.repair()

    expect(findings).toMatchObject([{ state: 'lost', what: expect.stringMatching(/process \d+/) }])
    expect(existsSync(sick.inGit('index.lock'))).toBe(true)
    rmSync(sick.inGit('index.lock'))
  })

  it('clears drafts away', async () => {
    writeFileSync(sick.folder.file('.draft-0123456789abcdef'), 'x')
    writeFileSync(sick.inGit('objects', 'pack', 'tmp_pack_abc'), 'x')
    writeFileSync(sick.inGit('objects', 'tmp_obj_abc'), 'x')

    const repaired = await sick.repair()

    expect(states(repaired)).toEqual(['repaired', 'repaired', 'repaired'])
    expect(quarantinedNames(repaired).toSorted()).toEqual([
      '.draft-0123456789abcdef',
      'tmp_obj_abc',
      'tmp_pack_abc',
    ])
    await expectWhole(sick)
  })

  it('clears away what a killed push left, unless a git is at work', async () => {
    const incoming = sick.inGit('objects', 'tmp_objdir-incoming-aB1cD2')
    mkdirSync(join(incoming, 'pack'), { recursive: true })
    writeFileSync(join(incoming, 'pack', 'tmp_pack_abc'), 'x')
    const atWork = spawn('git', ['cat-file', '--batch'], { cwd: sick.folder.path })
    await once(atWork, 'spawn')

    const waiting = await sick.repair()
    atWork.stdin.end()
    await once(atWork, 'close')
    const repaired = await sick.repair()

    expect([states(waiting), states(repaired)]).toEqual([[], ['repaired']])
    expect(quarantinedNames(repaired)).toEqual(['tmp_pack_abc'])
    await expectWhole(sick)
  })

  it('moves a damaged object aside that nothing needs', async () => {
    const oid = 'ab'.repeat(20)
    mkdirSync(sick.inGit('objects', 'ab'), { recursive: true })
    damage(sick.inGit('objects', 'ab', oid.slice(2)), 'not deflated')

    const repaired = await sick.repair()

    expect(states(repaired)).toEqual(['repaired'])
    await expectWhole(sick)
  })

  it('writes the emptied document of the newest commit anew from the live file', async () => {
    damage(sick.objectOf('HEAD:config.xml'))

    const seen = await sick.examine(false)
    const repaired = await sick.repair()

    expect(states(seen)).toEqual(['repairable'])
    expect(states(repaired)).toEqual(['repaired', 'repaired'])
    await expectWhole(sick)
  })

  it('writes the torn tree of the newest commit anew from the index of git', async () => {
    const tree = sick.objectOf('HEAD^{tree}')
    damage(tree, readFileSync(tree, 'latin1').slice(0, 5))

    expect(states(await sick.repair())).toEqual(['repaired', 'repaired'])
    await expectWhole(sick)
  })

  it('gets lost objects back from another repository, and says where from when there is none', async () => {
    using other = new TempFolder()
    sick.folder.git('clone', '--quiet', '--bare', sick.folder.path, other.file('clone.git'))
    for (const name of ['HEAD~1', 'HEAD~1^{tree}', 'HEAD~1:config.xml'].map((each) =>
      sick.objectOf(each),
    )) {
      rmSync(name)
    }

    const alone = await sick.repair()
    const helped = await sick.repair(other.file('clone.git'))

    expect(states(alone)).toContain('lost')
    expect(alone.findings.at(-1)?.remedy).toMatch(/--from REPOSITORY.*restore a backup/)
    expect(states(helped)).toEqual(['repaired', 'repaired', 'repaired'])
    await expectWhole(sick)
  })

  it('repairs all of that where names are SHA-256', async () => {
    await using other = await SickRepository.open('sha256')
    using donor = new TempFolder()
    other.folder.git('clone', '--quiet', '--bare', other.folder.path, donor.file('clone.git'))
    rmSync(other.objectOf('HEAD~1:config.xml'))
    damage(other.objectOf('HEAD:config.xml'))
    damage(other.inGit('refs', 'heads', 'main'))

    const repaired = await other.repair(donor.file('clone.git'))

    expect(repaired.findings.map(({ what, state }) => `${state}: ${what}`)).toEqual([
      expect.stringMatching(/^repaired: The object [0-9a-f]{64} is damaged$/),
      'repaired: refs/heads/main names no commit',
      expect.stringMatching(/^repaired: The object [0-9a-f]{64} was missing$/),
      expect.stringMatching(/^repaired: The object [0-9a-f]{64} was missing$/),
    ])
    await expectWhole(other)
  })

  it('reads from its log what an emptied branch was', async () => {
    damage(sick.inGit('refs', 'heads', 'main'))

    const seen = await sick.examine(false)
    const repaired = await sick.repair()

    expect([states(seen), states(repaired)]).toEqual([['repairable'], ['repaired']])
    await expectWhole(sick)
  })

  it('takes no branch back whose log does not say what it was', async () => {
    damage(sick.inGit('refs', 'heads', 'main'), '\0\0\0')
    rmSync(sick.inGit('logs'), { recursive: true })

    const { findings } = await sick.repair()

    expect(findings).toMatchObject([
      { state: 'lost', remedy: expect.stringContaining('git update-ref refs/heads/main') },
    ])
    expect(readFileSync(sick.inGit('refs', 'heads', 'main'), 'utf8')).toBe('\0\0\0')
  })

  it.each(['', 'absent'])('sets HEAD to the only branch (%j)', async (content) => {
    if (content === 'absent') rmSync(sick.inGit('HEAD'))
    else damage(sick.inGit('HEAD'), content)

    expect(states(await sick.repair())).toEqual(['repaired'])
    await expectWhole(sick)
  })

  it('makes a damaged index of git anew', async () => {
    damage(sick.inGit('index'), 'DIRC junk')

    expect(states(await sick.repair())).toEqual(['repaired'])
    await expectWhole(sick)
  })

  it('moves its own damaged index of revisions aside', async () => {
    const file = sick.inGit('cairn', 'revisions')
    damage(file, `${readFileSync(file, 'utf8').slice(0, -20)}\n`)

    expect(states(await sick.repair())).toEqual(['repaired'])
    await expectWhole(sick)
  })

  it('repairs nothing while a service runs, but looks', async () => {
    const history = await sick.folder.open()

    await expect(sick.repair()).rejects.toThrow('in use by process')
    expect((await sick.examine(false)).findings).toEqual([])
    expect(history.problem()).toBeNull()
  })
})
