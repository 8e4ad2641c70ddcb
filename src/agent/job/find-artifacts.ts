import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { resolveInside } from '../host/sandbox-path.ts'

/** One file and its path among the job's artifacts. */
export interface FoundArtifact {
  readonly file: string
  readonly path: string
}

/** Folders of version controls are never artifacts. */
const HIDDEN: ReadonlySet<string> = new Set(['.git', '.svn', '.hg'])

/**
 * The files that an artifact's `src` selects. A file is copied to the destination, a folder with
 * its name, and the matches of a pattern with their folders below the pattern's fixed part.
 */
export async function findArtifacts(
  folder: string,
  { src, dest }: { src: string; dest: string | null },
): Promise<FoundArtifact[]> {
  const { base, matches } = parseArtifactPattern(src)
  const start = await resolveInside(folder, base)
  const place = (path: string): string => {
    const joined = posix.join(dest ?? '.', path).replace(/^\/+/, '')
    if (joined.startsWith('../')) throw new Error(`${dest} is not below the folder of artifacts`)
    return joined
  }
  const found = await findStats(start)
  if (matches === null && found?.isFile()) return [{ file: start, path: place(basename(start)) }]
  if (!found?.isDirectory()) return []
  const name = matches === null && base !== '' ? basename(start) : '.'
  const { files, unlisted } = await listFiles(start)
  const paths = [...files.filter((path) => matches === null || matches(path)), ...unlisted]
  return paths.map((path) => ({ file: join(start, path), path: place(posix.join(name, path)) }))
}

/**
 * The paths of all files below a folder, and those of folders that cannot be listed. Links to files
 * count as files, links to folders do not.
 */
async function listFiles(folder: string): Promise<Record<'files' | 'unlisted', string[]>> {
  const files: string[] = []
  const unlisted: string[] = []
  const waiting = ['']
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const entries = await listFolder(join(folder, below))
    if (entries === null) unlisted.push(below)
    for (const entry of entries ?? []) {
      const path = posix.join(below, entry.name)
      if (entry.isDirectory()) {
        if (!HIDDEN.has(entry.name)) waiting.push(path)
      } else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(folder, path)))) {
        files.push(path)
      }
    }
  }
  return { files: files.toSorted(), unlisted }
}

/** Null for a folder that cannot be read, or whose name is no text. */
async function listFolder(folder: string): Promise<Dirent[] | null> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT') return null
    throw error
  }
}

async function isFile(folder: string, path: string): Promise<boolean> {
  return (await findStats(join(folder, path)))?.isFile() ?? false
}

async function findStats(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null
    throw error
  }
}

/** The files that a `src` selects below a folder, and their names at the destination. */
interface ArtifactPattern {
  /** The folder or file that the fixed part of the pattern names. */
  readonly base: string
  /** Whether a path relative to the base is selected; null for a pattern without wildcards. */
  readonly matches: ((path: string) => boolean) | null
}

/**
 * Parses a pattern: `*` and `?` within a name, `**` for any folders, a trailing slash for
 * everything below.
 */
export function parseArtifactPattern(src: string): ArtifactPattern {
  const steps = src
    .replaceAll('\\', '/')
    .replace(/\/$/, src.includes('*') || src.includes('?') ? '/**' : '')
    .split('/')
    .filter((step) => step !== '' && step !== '.')
  const wild = steps.findIndex((step) => /[*?]/.test(step))
  if (wild < 0) return { base: steps.join('/'), matches: null }
  const expression = new RegExp(`^${renderSteps(steps.slice(wild))}$`, 's')
  return { base: steps.slice(0, wild).join('/'), matches: (path) => expression.test(path) }
}

function renderSteps(steps: readonly string[]): string {
  const rendered = steps.map((step, index) => {
    const last = index === steps.length - 1
    if (step === '**') return last ? '.+' : '(?:[^/]+/)*'
    return last ? renderName(step) : `${renderName(step)}/`
  })
  return rendered.join('')
}

function renderName(step: string): string {
  return step
    .replaceAll(/\*+/g, '*')
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
}
