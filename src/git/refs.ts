import { basename, join } from 'node:path'
import { type ServiceError, unavailable } from '../core/errors.ts'
import { CommitSha } from '../core/revision.ts'
import { mapInTurns } from '../lib/cooperative.ts'
import { isDraftName } from '../storage/file-draft.ts'
import { fsErrorCode, orNullWhenAbsent } from '../storage/fs-error.ts'
import type { GitStore } from './git-store.ts'

export interface Head {
  /** The branch that is checked out, such as `refs/heads/main`; null when HEAD is detached. */
  readonly branch: string | null
  /** Null before the first commit of the branch. */
  readonly commit: CommitSha | null
}

/** @throws {ServiceError} `unavailable` when HEAD is missing or damaged. */
export async function readHead(store: GitStore): Promise<Head> {
  const text = await readHeadFile(store)
  const branch = symbolicTarget(text)
  if (branch === null) return { branch: null, commit: parseRef('HEAD', text) }
  return { branch, commit: await readRef(store, branch) }
}

/**
 * The branch that is checked out, or null when HEAD is detached.
 *
 * @throws {ServiceError} `unavailable` when HEAD is missing.
 */
export async function readBranch(store: GitStore): Promise<string | null> {
  return symbolicTarget(await readHeadFile(store))
}

async function readHeadFile(store: GitStore): Promise<string> {
  const text = await readRefFile(store, 'HEAD')
  if (text === null) throw damaged('HEAD')
  return text
}

/**
 * The commit that a ref names, or null when there is no such ref. A damaged ref is never
 * taken for an absent one.
 *
 * @throws {ServiceError} `unavailable` when the ref is damaged.
 */
export async function readRef(store: GitStore, ref: string): Promise<CommitSha | null> {
  const loose = await readRefFile(store, ref)
  if (loose === null) return (await readPackedRef(store, ref)) ?? readLooseRef(store, ref)
  return parseRef(ref, loose)
}

/** A ref may be packed, and become loose again, between the two reads. */
async function readLooseRef(store: GitStore, ref: string): Promise<CommitSha | null> {
  const text = await readRefFile(store, ref)
  return text === null ? null : parseRef(ref, text)
}

/** The commits after which refs directly below a prefix, such as `refs/conflicts/`, are named, in their order. */
export async function listNamesBelow(
  store: GitStore,
  prefix: string,
): Promise<readonly CommitSha[]> {
  const loose = (await orNullWhenAbsent(store.fs.readdir(join(store.gitDir, prefix)))) ?? []
  const packed = (await readPackedLines(store)).map((line) => line.slice(line.indexOf(' ') + 1))
  const below = packed.filter((ref) => ref.startsWith(prefix))
  const names = [...loose, ...below.map((ref) => ref.slice(prefix.length))]
  return [...new Set(names.flatMap((name) => CommitSha.safeParse(name).data ?? []))].toSorted()
}

/**
 * All refs below a prefix, such as `refs/proposals/`, in folders of any depth, with their commits. `files`
 * are those of {@link listFilesBelow}, where they are known.
 */
export async function listRefsBelow(
  store: GitStore,
  prefix: string,
  files?: readonly string[],
): Promise<ReadonlyMap<string, CommitSha>> {
  const listed = (files ?? (await listFilesBelow(store, prefix))).filter(isRefFile)
  const found = new Map<string, CommitSha>()
  for (const line of await readPackedLines(store)) {
    const ref = line.slice(line.indexOf(' ') + 1)
    if (ref.startsWith(prefix)) found.set(ref, parseRef(ref, line.slice(0, -ref.length)))
  }
  const texts = await mapInTurns(listed, (file) => readRefFile(store, file))
  for (const [place, text] of texts.entries()) {
    const file = listed[place]
    if (file !== undefined && text !== null) found.set(file, parseRef(file, text))
  }
  return found
}

/** The files of refs below a prefix, with the locks and drafts beside them. */
export async function listFilesBelow(store: GitStore, prefix: string): Promise<readonly string[]> {
  const folder = prefix.replace(/\/$/, '')
  const names = await listFolder(store, folder)
  if (names === null) return [folder]
  const below = await mapInTurns(names, (name) => listFilesBelow(store, `${folder}/${name}`))
  return below.flat()
}

/** Null for a file. A folder that is not there is empty: git removes it with its last ref. */
async function listFolder({ fs, gitDir }: GitStore, folder: string): Promise<string[] | null> {
  try {
    return await fs.readdir(join(gitDir, folder))
  } catch (error) {
    const code = fsErrorCode(error)
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') return null
    throw error
  }
}

/** Whether a file below the refs is one, and no lock or draft of one. */
export function isRefFile(file: string): boolean {
  return !file.endsWith('.lock') && !isDraftName(basename(file))
}

async function readPackedRef(store: GitStore, ref: string): Promise<CommitSha | null> {
  const lines = await readPackedLines(store)
  const line = lines.find((candidate) => candidate.endsWith(` ${ref}`))
  return line === undefined ? null : parseRef(ref, line.slice(0, -ref.length))
}

async function readPackedLines({ fs, gitDir }: GitStore): Promise<readonly string[]> {
  const bytes = await orNullWhenAbsent(fs.readFile(join(gitDir, 'packed-refs')))
  return Buffer.from(bytes ?? [])
    .toString('utf8')
    .split('\n')
}

/** Null when there is no such file, or a folder of branches has that name. */
async function readRefFile({ fs, gitDir }: GitStore, ref: string): Promise<string | null> {
  try {
    const bytes = await orNullWhenAbsent(fs.readFile(join(gitDir, ref)))
    return bytes === null ? null : Buffer.from(bytes).toString('utf8')
  } catch (error) {
    if (fsErrorCode(error) === 'EISDIR') return null
    throw error
  }
}

function parseRef(ref: string, text: string): CommitSha {
  const commit = CommitSha.safeParse(text.trim())
  if (!commit.success) throw damaged(ref)
  return commit.data
}

function symbolicTarget(text: string): string | null {
  return /^ref: *(refs\/\S+)\s*$/.exec(text)?.[1] ?? null
}

function damaged(ref: string): ServiceError<'unavailable'> {
  return unavailable(`The ref ${ref} is damaged: it names no commit`)
}
