// @module-tag long

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DELTA_DEPTH } from '../../../src/git/empty-repository.ts'
import { OBJECT_FORMATS } from '../../../src/core/object-name.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { PackUnion } from '../../../src/git/packs/pack-union.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { gitBytes, gitScript } from '../../support/git/git.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

/** Lines that git makes deltas of, with a change in one of them. */
function textOf(n: number): string {
  const lines = Array.from({ length: 400 }, (_, line) => `line ${line} ${line * 7919}`)
  lines[(n * 37) % lines.length] = `changed ${n}`
  return lines.join('\n')
}

/** Writes what each commit adds to the one before, as the log has it. */
const WRITE_PACKS = `
  folder=$1
  shift
  before=
  for commit; do
    printf '%s\\n' "$commit" $before |
      git pack-objects --revs --thin --delta-base-offset --stdout -q >"$folder/$commit"
    before="^$commit"
  done`

/** The packs of some commits, one based on the other. */
function packsOf(repository: GitRepository, contents: readonly (string | Buffer)[]): Uint8Array[] {
  const commits = contents.map((content, n) =>
    repository.commit(n % 5 === 4 ? 'beside.txt' : 'config.xml', content),
  )
  using folder = new TempFolder()
  gitScript(repository.path, WRITE_PACKS, [folder.path, ...commits])
  return commits.map((commit) => readFileSync(folder.file(commit)))
}

function openReader({ store }: GitRepository) {
  return openObjectReader({ ...store, path: process.env['PATH'] })
}

async function addAll(target: GitRepository, packs: readonly Uint8Array[]): Promise<void> {
  await using reader = await openReader(target)
  const union = new PackUnion(reader)
  for (const pack of packs) await union.add(pack)
  target.run(['index-pack', '--stdin', '--strict'], union.toPack())
}

describe('one pack of many', () => {
  it.each(OBJECT_FORMATS)('has what all of them have, also what came back (%s)', async (format) => {
    using source = new GitRepository(format)
    using target = new GitRepository(format)
    const contents = Array.from({ length: 60 }, (_, n) => textOf(n % 7))
    const packs = packsOf(source, contents)

    await addAll(target, packs.slice(0, 20))
    await addAll(target, packs.slice(20))

    target.git('update-ref', 'refs/heads/main', source.head())
    expect(target.git('fsck', '--strict', '--full')).toBe('')
    expect(target.git('log', '--format=%H')).toBe(source.git('log', '--format=%H'))
    expect(target.git('show', 'HEAD:config.xml')).toBe(source.git('show', 'HEAD:config.xml'))
    expect(target.git('count-objects', '-v')).toContain('packs: 2\n')
  })

  it('has no chain of deltas that grows with their number', async () => {
    using source = new GitRepository()
    using target = new GitRepository()

    const contents = Array.from({ length: 80 }, (_, n) => textOf(n))

    await addAll(target, packsOf(source, contents))

    const [pack = ''] = readdirSync(join(target.gitDir, 'objects', 'pack')).filter((name) =>
      name.endsWith('.idx'),
    )
    const verified = target.git('verify-pack', '-v', join(target.gitDir, 'objects', 'pack', pack))
    const lengths = [...verified.matchAll(/^chain length = (\d+)/gm)].map(([, n]) => Number(n))
    expect(Math.max(...lengths)).toBeGreaterThan(1)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(DELTA_DEPTH)
  })

  it('takes large and incompressible files, and empty ones', async () => {
    using source = new GitRepository()
    using target = new GitRepository()
    const large = randomBytes(300_000)

    await addAll(target, packsOf(source, [large, '', Buffer.concat([large, large]), large]))

    expect(gitBytes(target.path, ['cat-file', 'blob', `${source.head()}:config.xml`])).toEqual(
      large,
    )
  })

  it('refuses a damaged pack, and one whose base nobody has, and stays as it was', async () => {
    using source = new GitRepository()
    using target = new GitRepository()
    const [first, second] = packsOf(source, [textOf(1), textOf(2)])
    if (first === undefined || second === undefined) throw new Error('no packs')
    const broken = Uint8Array.from(first, (byte, at) => (at === 40 ? byte ^ 1 : byte))
    await using reader = await openReader(target)
    const union = new PackUnion(reader)

    await expect(union.add(broken)).rejects.toThrow(RangeError)
    await expect(union.add(second)).rejects.toThrow(/builds on object [0-9a-f]{40}/)
    await expect(union.add(first.subarray(0, 30))).rejects.toThrow(RangeError)
    await expect(union.add(Buffer.from('<xml/>'))).rejects.toThrow(RangeError)

    expect(union.isEmpty).toBe(true)
    await union.add(first)
    await union.add(second)
    expect(union.isEmpty).toBe(false)
  })
})
