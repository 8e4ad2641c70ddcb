import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  quarantinedNames,
  damage,
  expectWhole,
  SickRepository,
  states,
} from '../../support/history/sick-repository.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

describe('examineRepository, with everything in one pack', () => {
  let sick: SickRepository
  let pack = ''
  beforeEach(async () => {
    sick = await SickRepository.open()
    sick.folder.git('repack', '-a', '-d', '-q')
    sick.folder.git('commit-graph', 'write')
    sick.folder.git('multi-pack-index', 'write')
    const names = readdirSync(sick.inGit('objects', 'pack'))
    pack = sick.inGit('objects', 'pack', names.find((name) => name.endsWith('.pack')) ?? '')
  })
  afterEach(() => sick[Symbol.asyncDispose]())

  it('indexes a pack anew whose index is missing or damaged', async () => {
    const index = pack.replace(/pack$/, 'idx')
    damage(index, 'junk')

    expect(states(await sick.repair())).toContain('repaired')
    rmSync(index)
    expect(states(await sick.repair())).not.toContain('lost')
    await expectWhole(sick)
  })

  it('moves damaged graphs aside', async () => {
    damage(sick.inGit('objects', 'info', 'commit-graph'), 'CGPH junk')
    damage(sick.inGit('objects', 'pack', 'multi-pack-index'), 'MIDX junk')

    expect(states(await sick.repair())).toEqual(['repaired', 'repaired'])
    await expectWhole(sick)
  })

  it('takes a damaged pack apart, and gets the rest from another repository', async () => {
    using other = new TempFolder()
    sick.folder.git('clone', '--quiet', '--bare', sick.folder.path, other.file('clone.git'))
    const bytes = readFileSync(pack)
    bytes.fill(0, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 20)
    damage(pack)
    writeFileSync(pack, bytes)

    const repaired = await sick.repair(other.file('clone.git'))

    expect(states(repaired)).not.toContain('lost')
    expect(quarantinedNames(repaired)).toContain(pack.split('/').at(-1))
    await expectWhole(sick)
  })
})
