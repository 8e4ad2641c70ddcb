import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { git, readObjects } from '../git/git.ts'
import { SHARED_DATA } from '../programs/shared-data.ts'
import { TempFolder } from '../disk/temp-folder.ts'

/** The verdicts of the original's own loader on the documents of one folder. */
export const Verdicts = z.array(
  z.object({
    file: z.string(),
    expected: z.enum(['valid', 'invalid']),
    reason: z.string().nullish(),
    phase: z.string().nullish(),
  }),
)
export type Verdicts = z.infer<typeof Verdicts>

/** Reads the verdicts that stand beside the documents of a folder. */
export function verdictsIn(folder: string): Verdicts {
  return Verdicts.parse(JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')))
}

/** Documents that the original accepts, from its own tests; none where the data is absent. */
export function validDocuments(): string[] {
  const data = SHARED_DATA
  if (data === null) return []
  const folders = ['configs/valid', 'configs/rules/valid']
  return folders.flatMap((folder) => readFolder(data, folder))
}

/** Evenly spaced revisions of a real server's history; none where the data is absent. */
export function realRevisions(count: number): string[] {
  return inRealHistory((clone, commits) =>
    Array.from({ length: count }, (_, index) => {
      const commit = commits[Math.floor((index * commits.length) / count)]
      return git(clone, 'show', `${commit}:cruise-config.xml`)
    }),
  )
}

/** The document of every commit of a real server's history; none where the data is absent. */
export function everyRealRevision(): string[] {
  return inRealHistory((clone, commits) => {
    const names = commits.map((commit) => `${commit}:cruise-config.xml`)
    return readObjects(clone, names).map(String)
  })
}

/** Copies the repository of a real server, of which the file is `cruise-config.xml`. */
export function cloneRealHistory(folder: string, ...flags: readonly string[]): void {
  const bundle = join(SHARED_DATA ?? '', 'real-config-history.bundle')
  git(tmpdir(), 'clone', '--quiet', '--branch=master', ...flags, bundle, folder)
}

function inRealHistory(read: (clone: string, commits: string[]) => string[]): string[] {
  if (SHARED_DATA === null) return []
  using clone = new TempFolder()
  cloneRealHistory(clone.path, '--bare')
  return read(clone.path, git(clone.path, 'rev-list', '--all').trim().split('\n'))
}

function readFolder(data: string, folder: string): string[] {
  const names = readdirSync(join(data, folder)).filter((name) => name.endsWith('.xml'))
  return names.map((name) => readFileSync(join(data, folder, name), 'utf8'))
}
