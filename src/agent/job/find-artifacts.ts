import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { fitsPattern } from '../../core/builds/path-patterns.ts'
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

/** Null for a folder that cannot be read, is too deep, or whose name is no text. */
async function listFolder(folder: string): Promise<Dirent[] | null> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (isUnreadable(error) || codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Whether a link leads to a file; one that cannot be followed counts, so that it is reported. */
async function isFile(folder: string, path: string): Promise<boolean> {
  try {
    return (await findStats(join(folder, path)))?.isFile() ?? false
  } catch (error) {
    if (isUnreadable(error)) return true
    throw error
  }
}

async function findStats(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) return null
    throw error
  }
}

function isUnreadable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'ENAMETOOLONG'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
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
  // Only a whole step stands for any folders, and at the end for the files in them.
  const within = steps.slice(wild).map((step) => (step === '**' ? step : step.replace(/\*+/g, '*')))
  const pattern = within.join('/').replace(/\*\*$/, '**/?*')
  return {
    base: steps.slice(0, wild).join('/'),
    matches: (path) => fitsPattern(path, pattern),
  }
}
