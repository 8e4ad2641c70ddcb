import fs, { type Stats } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { isObjectName } from '../../core/object-name.ts'
import { CommitSha } from '../../core/revision.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { RawObjectReader } from '../../git/objects/raw-object.ts'

export const TAGS = 'refs/tags/'

export interface Tag {
  readonly name: string
  /** The object that its ref names: the commit, or the object of an annotated tag. */
  readonly object: string
  readonly commit: CommitSha
}

/** More tags than this are not read. */
const MAX_TAGS = 100_000
/** A folder has a link from its parent, one from itself, and one from each folder in it. Some file systems count none. */
const LINKS_WITHOUT_FOLDERS = 2
/** Most repositories have no such file, and an error takes longer than the look. */
const UNTHROWN = { throwIfNoEntry: false }
/** The most annotated tags of annotated tags. */
const MAX_DEPTH = 8

/**
 * The tags that name commits, packed and loose ones. Damaged ones, and those of other objects, are left
 * out: git says what is wrong with them.
 */
export async function readTags(gitDir: string, reader: RawObjectReader): Promise<readonly Tag[]> {
  const refs = new Map([...(await readPacked(gitDir)), ...(await readLoose(gitDir))])
  const tags: Tag[] = []
  for (const [name, object] of [...refs].slice(0, MAX_TAGS)) {
    const commit = await peel(reader, object)
    if (commit !== null) tags.push({ name, object, commit })
  }
  return tags
}

/**
 * A text that is another one as soon as the tags of a repository are others. Looked for at once: each
 * list asks for it, and a place in the queue of the thread pool would be behind the syncs of saves.
 */
export function stampOfTags(gitDir: string): string {
  const packed = unlessAbsent(() => fs.statSync(join(gitDir, 'packed-refs'), UNTHROWN))
  const stamps = [packed ? stampOf(packed) : '']
  for (const stats of foldersBelow(join(gitDir, TAGS))) stamps.push(stampOf(stats))
  return stamps.join(' ')
}

function stampOf({ ino, size, mtimeMs }: Stats): string {
  return [ino, size, mtimeMs].join(':')
}

/** A change of a file of a ref renames it into its folder, whose time tells of that. */
function* foldersBelow(folder: string): Generator<Stats, void> {
  const stats = unlessAbsent(() => fs.lstatSync(folder, UNTHROWN))
  if (!stats?.isDirectory()) return
  yield stats
  if (stats.nlink === LINKS_WITHOUT_FOLDERS) return
  const entries = unlessAbsent(() => fs.readdirSync(folder, { withFileTypes: true })) ?? []
  for (const entry of entries) {
    if (entry.isDirectory()) yield* foldersBelow(join(folder, entry.name))
  }
}

/** Null for what is not there, or went meanwhile. */
function unlessAbsent<Value>(look: () => Value): Value | null {
  try {
    return look()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(fsErrorCode(error) ?? '')) return null
    throw error
  }
}

async function readPacked(gitDir: string): Promise<readonly (readonly [string, string])[]> {
  const text = await orNullWhenAbsent(nodeFs.readFile(join(gitDir, 'packed-refs'), 'utf8'))
  return (text ?? '').split('\n').flatMap((line) => {
    const [object = '', ref = ''] = line.split(' ')
    return ref.startsWith(TAGS) && isObjectName(object) ? [[ref.slice(TAGS.length), object]] : []
  })
}

async function readLoose(gitDir: string, prefix = ''): Promise<(readonly [string, string])[]> {
  const folder = join(gitDir, TAGS, prefix)
  const entries = await orNullWhenAbsent(nodeFs.readdir(folder, { withFileTypes: true }))
  const found: (readonly [string, string])[] = []
  for (const entry of entries ?? []) {
    const name = prefix + entry.name
    if (entry.isDirectory()) found.push(...(await readLoose(gitDir, `${name}/`)))
    if (!entry.isFile() || name.endsWith('.lock')) continue
    const text = await readFileOfRef(join(folder, entry.name))
    if (isObjectName(text.trim())) found.push([name, text.trim()])
  }
  return found
}

/** Empty for a file that went meanwhile. */
async function readFileOfRef(file: string): Promise<string> {
  try {
    return (await orNullWhenAbsent(nodeFs.readFile(file, 'utf8'))) ?? ''
  } catch (error) {
    if (fsErrorCode(error) === 'EISDIR') return ''
    throw error
  }
}

/** The commit that an object is, or that an annotated tag is about; null for any other. */
async function peel(reader: RawObjectReader, name: string): Promise<CommitSha | null> {
  let oid = name
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const object = await reader.findObject(oid)
    if (object?.type === 'commit') return CommitSha.safeParse(oid).data ?? null
    if (object?.type !== 'tag') return null
    const [, target] =
      /^object ([0-9a-f]+)\n/.exec(Buffer.from(object.content).toString('latin1')) ?? []
    if (target === undefined) return null
    oid = target
  }
  return null
}

/** Matches a text that git takes for no name of a ref. */
const NO_NAME = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|(?:^|\/)\.|\.lock(?:\/|$)|^[/-]|[/.]$|^@$|^HEAD$/u
const MAX_NAME_LENGTH = 200

/** Why git takes a text for no name of a tag, as the end of a sentence; null for a name. */
export function whyNoTag(name: string): string | null {
  if (name === '') return 'is empty'
  if (name.length > MAX_NAME_LENGTH) return `has more than ${MAX_NAME_LENGTH} characters`
  return NO_NAME.test(name) || !name.isWellFormed() ? 'is not one that git takes for a tag' : null
}
