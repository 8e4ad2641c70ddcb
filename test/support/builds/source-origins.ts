import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import type { AssignedSourceMaterial } from '../../../src/wire/agent/material.ts'
import { gitLine } from '../git/git.ts'

/** A repository with two revisions: in the first the file `a` is `one`, in the second `two`, and there is `b`. */
export interface Origin {
  readonly url: string
  /** The material at one of the two revisions. */
  readonly material: (which: 0 | 1) => AssignedSourceMaterial
}

const PLACE = { name: null, dest: null }
const REVISIONS = [{ a: 'one' }, { a: 'two', b: 'b' }]

/** Runs a tool in a folder and gives what it printed. */
export function runTool(folder: string, command: string, ...args: readonly string[]): string {
  const env = { ...process.env, HOME: folder, HGUSER: 'ana' }
  return execFileSync(command, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }).trim()
}

export function gitOrigin(folder: string, format: ObjectFormatName = 'sha1'): Origin {
  mkdirSync(folder, { recursive: true })
  gitLine(folder, 'init', '-q', '-b', 'trunk', `--object-format=${format}`)
  const revisions = REVISIONS.map((files) => {
    writeFiles(folder, files)
    gitLine(folder, 'add', '.')
    gitLine(folder, 'commit', '-q', '-m', 'change')
    return gitLine(folder, 'rev-parse', 'HEAD')
  })
  const common = { ...PLACE, type: 'git', url: folder, branch: 'trunk' } as const
  return { url: folder, material: (which) => ({ ...common, ...at(revisions[which]) }) }
}

export function hgOrigin(folder: string): Origin {
  mkdirSync(folder, { recursive: true })
  runTool(folder, 'hg', 'init')
  for (const files of REVISIONS) {
    writeFiles(folder, files)
    runTool(folder, 'hg', 'commit', '-q', '-A', '-m', 'change')
  }
  const log = runTool(folder, 'hg', 'log', '--template', '{node}\n')
  const revisions = log.split('\n').toReversed()
  const common = { ...PLACE, type: 'hg', url: folder } as const
  return { url: folder, material: (which) => ({ ...common, ...at(revisions[which]) }) }
}

/** Its address has an `@`, which the client would take for a revision. */
export function svnOrigin(folder: string): Origin {
  const store = `${folder}@store`
  mkdirSync(store, { recursive: true })
  runTool(store, 'svnadmin', 'create', '.')
  const url = pathToFileURL(store).href
  mkdirSync(folder, { recursive: true })
  runTool(folder, 'svn', 'checkout', '-q', `${url}@`, '.')
  for (const files of REVISIONS) {
    writeFiles(folder, files)
    runTool(folder, 'svn', 'add', '-q', ...Object.keys(files).slice(-1))
    runTool(folder, 'svn', 'commit', '-q', '-m', 'change')
  }
  const common = { ...PLACE, type: 'svn', url, username: 'ana', password: 'geheim' } as const
  return { url, material: (which) => ({ ...common, ...at(String(which + 1)) }) }
}

/** The address of a copy of a repository. */
export function copyOrigin({ url }: Origin): string {
  if (!url.startsWith('file:')) return copyFolder(url)
  return pathToFileURL(copyFolder(fileURLToPath(url))).href
}

function copyFolder(folder: string): string {
  cpSync(folder, `${folder}-copy`, { recursive: true })
  return `${folder}-copy`
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

function at(revision = ''): { revision: string; fromRevision: string } {
  return { revision, fromRevision: revision }
}
