import { createHash } from 'node:crypto'
import { createReadStream, type Dirent } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { findNested, sortedEntries } from './nested-copies.ts'
import type { RunTool, Steering } from './source-tool.ts'
import { isInside, orNullIfMissing } from '../host/sandbox-path.ts'

/**
 * The entries of its folder that control git. The rest is objects, refs and records of commands;
 * the agent's git runs no hooks.
 */
const OBEYED = /^(?:config.*|info|modules|commondir|gitdir|worktrees|remotes|branches)$/

/** Object folders elsewhere, and the files that name them. */
const ALTERNATES = ['alternates', 'http-alternates']

const SETTINGS = '/config'
/** Larger settings were not written by git. */
const MAX_SETTINGS_BYTES = 2 ** 20

const RESTORE = 'rm -rf -- .git/config && cat >.git/config'

/**
 * The entries in a checkout that control git and that a job may have written, also in its
 * submodules: settings, attributes, and links to other folders. Null when there is no folder of
 * git.
 */
export async function steeringOf(checkout: string): Promise<Steering | null> {
  const gitDir = join(checkout, '.git')
  const found = await orNullIfMissing(lstat(gitDir))
  if (found?.isDirectory() !== true) return null
  const hash = createHash('sha256')
  for await (const line of describe(gitDir, '')) {
    const isSettings = line[0] === SETTINGS && line[1] === 'file'
    if (!isSettings) hash.update(`${JSON.stringify(line)}\n`)
  }
  return { digest: hash.digest('hex'), settings: await readSettings(join(gitDir, 'config')) }
}

/** Restores the settings of a checkout, with the rights of its user. */
export function restoreSettings(run: RunTool, settings: string): Promise<void> {
  return run({ command: 'sh', args: ['-c', RESTORE], input: settings })
}

/**
 * Whether every repository within the checkout is a submodule whose folder is inside that of the
 * checkout.
 */
export async function hasOwnSubmodulesOnly(checkout: string): Promise<boolean> {
  const modules = join(checkout, '.git', 'modules')
  for await (const entry of findNested(checkout, '.git')) {
    const file = join(entry.parentPath, entry.name)
    const text = entry.isFile() ? await readFile(file, 'utf8') : ''
    const [, target] = /^gitdir: (.+)\n$/.exec(text) ?? []
    if (target === undefined || !isInside(modules, resolve(dirname(file), target))) return false
  }
  return true
}

async function readSettings(file: string): Promise<string> {
  const found = await orNullIfMissing(lstat(file))
  if (found?.isFile() !== true || found.size > MAX_SETTINGS_BYTES) return ''
  return readFile(file, 'utf8')
}

type Line = readonly [path: string, what: string, more?: string]

async function* describe(folder: string, path: string): AsyncGenerator<Line> {
  const entries = await sortedEntries(folder)
  const isRepository = entries.some(({ name }) => name === 'HEAD')
  for (const entry of entries) {
    const [file, name] = [join(folder, entry.name), `${path}/${entry.name}`]
    if (!entry.isFile() && !entry.isDirectory()) yield [name, ...(await describeOdd(entry, file))]
    else if (isRepository && !OBEYED.test(entry.name)) yield* describeAlternates(entry, file, name)
    else if (entry.isDirectory()) yield* describe(file, name)
    // Git's own maintenance writes it, for clients that fetch without git.
    else if (!name.endsWith('/info/refs')) yield [name, 'file', await digestOf(file)]
  }
}

async function* describeAlternates(entry: Dirent, file: string, name: string) {
  if (entry.name !== 'objects' || !entry.isDirectory()) return
  const info = await orNullIfMissing(readdir(join(file, 'info')))
  for (const each of info ?? []) if (ALTERNATES.includes(each)) yield [name, each] as const
}

async function describeOdd(entry: Dirent, file: string): Promise<[string, string]> {
  return entry.isSymbolicLink() ? ['link', await readlink(file)] : ['other', '']
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}
