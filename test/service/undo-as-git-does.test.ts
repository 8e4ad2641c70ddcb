// @module-tag long
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { cloneRealHistory } from '../support/documents/config-corpus.ts'
import { git } from '../support/git/git.ts'
import { SHARED_DATA } from '../support/programs/shared-data.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { startService } from '../support/service/service.ts'

const FILE = 'cruise-config.xml'

interface Undoing {
  readonly base: string
  readonly before: string
  readonly current: string
}

/** The current document without a commit, as `git revert` has it; null for a conflict. */
function reverted(folder: string, commit: string): string | null {
  const before = ['-p', commit, '-m', 'what was before, upon it', `${commit}~1^{tree}`]
  const back = git(folder, 'commit-tree', ...before).trim()
  try {
    const tree = git(folder, 'merge-tree', '--write-tree', 'HEAD', back).trim()
    return git(folder, 'show', `${tree}:${FILE}`)
  } catch {
    return null
  }
}

/** Whether a merge has a line more often than both sides together want it, as where both have moved it. */
function repeatsLines(merged: string, { base, before, current }: Undoing): boolean {
  const [found, was, is, now] = [merged, base, before, current].map(countLines)
  return [...(found ?? [])].some(([line, count]) => {
    const of = (lines: ReadonlyMap<string, number> | undefined) => lines?.get(line) ?? 0
    return count > of(now) + of(is) - of(was)
  })
}

function countLines(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const line of text.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

describe.skipIf(SHARED_DATA === null)('undoing a revision of a real history (shared data)', () => {
  it('is possible wherever git revert is', { timeout: 240_000 }, async () => {
    const folder = tempDir()
    const repository = join(folder, 'config-repo')
    cloneRealHistory(repository)
    const commits = git(repository, 'rev-list', '--first-parent', 'HEAD').trim().split('\n')
    const textOf = (commit: string) => git(repository, 'show', `${commit}:${FILE}`)
    const current = textOf('HEAD')
    const possible = commits.slice(0, -1).filter((commit, n) => {
      const text = reverted(repository, commit)
      if (text === null || text === current) return false
      const before = textOf(commits[n + 1] ?? '')
      return !repeatsLines(text, { base: textOf(commit), before, current })
    })
    const service = await startService(['--config-file', FILE, '--start-paused'], folder)
    const list = z
      .array(z.object({ commitSHA: z.string(), number: z.number() }))
      .parse(await (await service.fetch('/api/config/revisions')).json())
    const numbers = new Map(list.map(({ commitSHA, number }) => [commitSHA, number]))
    const refused: string[] = []
    for (const commit of possible) {
      const page = await service.fetch(`/config/r${numbers.get(commit)}/undo`)
      const html = await page.text()
      if (html.includes('name="reason"')) continue
      const [why = ''] = /cannot be undone[^<]*/.exec(html) ?? []
      refused.push(`r${numbers.get(commit)}: ${page.status} ${why}`)
    }

    expect(refused).toEqual([])
    expect(possible.length).toBeGreaterThan(20)
  })
})
