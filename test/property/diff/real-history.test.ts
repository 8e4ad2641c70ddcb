import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countLines } from '../../../src/diff/hunks.ts'
import { editScript } from '../../../src/diff/edit-script.ts'
import { renderUnified } from '../../../src/diff/unified.ts'
import { applyHunks } from '../../support/documents/apply-hunks.ts'
import { cloneRealHistory } from '../../support/documents/config-corpus.ts'
import { gitBytes, readObjects } from '../../support/git/git.ts'
import { hunksOnly } from '../../support/git/git-diff.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

const FILE = 'cruise-config.xml'

interface Step {
  readonly before: Buffer
  readonly after: Buffer
  /** The hunks of `git log --patch`. */
  readonly expected: string
}

describe.skipIf(SHARED_DATA === null)('the diffs of a real history (shared data)', () => {
  let folder: TempFolder
  let steps: readonly Step[]

  beforeAll(() => {
    folder = new TempFolder()
    cloneRealHistory(folder.path, '--bare')
    steps = stepsOf(folder.path)
  })
  afterAll(() => folder[Symbol.dispose]())

  it('give each revision when they are applied to its parent', () => {
    expect(steps.length).toBeGreaterThan(500)
    for (const { before, after } of steps) {
      const hunks = Buffer.from(renderUnified(editScript(before, after))).toString('latin1')

      expect(applyHunks(before.toString('latin1'), hunks)).toBe(after.toString('latin1'))
    }
  })

  it('are those of git, but for one in a hundred', () => {
    const same = steps.filter(({ before, after, expected }) => {
      return Buffer.from(renderUnified(editScript(before, after))).toString('latin1') === expected
    })

    expect(same.length / steps.length).toBeGreaterThan(0.99)
  })

  it('change as many lines as those of git', () => {
    for (const { before, after, expected } of steps) {
      const { removed, added } = countLines(editScript(before, after))

      expect({ removed, added }).toEqual({
        removed: expected.match(/^-/gm)?.length ?? 0,
        added: expected.match(/^\+/gm)?.length ?? 0,
      })
    }
  })
})

/** Every change of the document, with its bytes on both sides and git's own diff. */
function stepsOf(repository: string): Step[] {
  const command = ['log', '--no-merges', '-p', '--format=', '--full-index', '--', FILE]
  const log = gitBytes(repository, command)
  const patches = log
    .toString('latin1')
    .split(/^(?=diff --git )/m)
    .flatMap((patch) => {
      const [, before, after] = /^index ([0-9a-f]{40})\.\.([0-9a-f]{40})/m.exec(patch) ?? []
      return before && after && !/^0+$/.test(before) ? [{ before, after, patch }] : []
    })
  const names = patches.flatMap(({ before, after }) => [before, after])
  const blobs = new Map(readObjects(repository, names).map((blob, at) => [names[at], blob]))
  return patches.map(({ before, after, patch }) => ({
    before: blobs.get(before) ?? Buffer.alloc(0),
    after: blobs.get(after) ?? Buffer.alloc(0),
    expected: hunksOnly(patch),
  }))
}
