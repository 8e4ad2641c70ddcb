import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { SHARED_DATA } from './shared-data.ts'

/** What the original's own loader says of the documents of one folder. */
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
    const asked = commits.map((commit) => `${commit}:cruise-config.xml\n`).join('')
    const options = { input: asked, maxBuffer: 2 ** 30 }
    const output = execFileSync('git', ['-C', clone, 'cat-file', '--batch'], options)
    return splitBatch(output)
  })
}

function splitBatch(output: Buffer): string[] {
  const documents: string[] = []
  for (let at = 0; at < output.length;) {
    const end = output.indexOf('\n', at)
    const size = Number(output.toString('utf8', at, end).split(' ')[2])
    documents.push(output.toString('utf8', end + 1, end + 1 + size))
    at = end + size + 2
  }
  return documents
}

function inRealHistory(read: (clone: string, commits: string[]) => string[]): string[] {
  if (SHARED_DATA === null) return []
  const clone = mkdtempSync(join(tmpdir(), 'cairn-real-history-'))
  try {
    const bundle = join(SHARED_DATA, 'real-config-history.bundle')
    execFileSync('git', ['clone', '-q', '--bare', '-b', 'master', bundle, clone])
    return read(clone, git(clone, 'rev-list', '--all').trim().split('\n'))
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
