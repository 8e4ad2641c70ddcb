import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SHARED_DATA } from './shared-data.ts'

/** Documents that the original accepts, from its own tests; none where the data is absent. */
export function validDocuments(): string[] {
  const data = SHARED_DATA
  if (data === null) return []
  const folders = ['configs/valid', 'configs/rules/valid']
  return folders.flatMap((folder) => readFolder(data, folder))
}

/** Evenly spaced revisions of a real server's history; none where the data is absent. */
export function realRevisions(count: number): string[] {
  if (SHARED_DATA === null) return []
  const clone = mkdtempSync(join(tmpdir(), 'cairn-real-history-'))
  try {
    const bundle = join(SHARED_DATA, 'real-config-history.bundle')
    execFileSync('git', ['clone', '-q', '--bare', '-b', 'master', bundle, clone])
    const commits = git(clone, 'rev-list', 'master').trim().split('\n')
    return Array.from({ length: count }, (_, index) => {
      const commit = commits[Math.floor((index * commits.length) / count)]
      return git(clone, 'show', `${commit}:cruise-config.xml`)
    })
  } finally {
    rmSync(clone, { recursive: true })
  }
}

function readFolder(data: string, folder: string): string[] {
  const names = readdirSync(join(data, folder)).filter((name) => name.endsWith('.xml'))
  return names.map((name) => readFileSync(join(data, folder, name), 'utf8'))
}

function git(folder: string, ...command: string[]): string {
  return execFileSync('git', ['-C', folder, ...command], { encoding: 'utf8' })
}
