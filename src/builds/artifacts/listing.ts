import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { findInside, openRegular } from './folders.ts'
import { ServiceError } from '../../core/errors.ts'

/** One file of a job, with its path below the job's folder. */
export interface ListedFile {
  readonly path: string
  readonly size: number
}

export type FolderEntry =
  | { readonly type: 'file'; readonly name: string; readonly size: number }
  | { readonly type: 'folder'; readonly name: string }

/** Every regular file at or below a path, by name; links are left out. */
export async function listFiles(
  folder: string,
  segments: readonly string[],
): Promise<readonly ListedFile[]> {
  const real = await findInside(folder, segments)
  if (real === null) return []
  const facts = await stat(real)
  if (facts.isFile()) return [{ path: segments.join('/'), size: facts.size }]
  return facts.isDirectory() ? filesBelow(real, segments) : []
}

/** The content of a folder, folders first; null when it is not a folder of the job. */
export async function listFolder(
  folder: string,
  segments: readonly string[],
): Promise<readonly FolderEntry[] | null> {
  const real = await findInside(folder, segments)
  if (real === null || !(await stat(real)).isDirectory()) return null
  const entries = await entriesOf(real)
  return entries.toSorted((one, other) =>
    one.type === other.type ? compare(one.name, other.name) : one.type === 'folder' ? -1 : 1,
  )
}

async function filesBelow(real: string, segments: readonly string[]): Promise<ListedFile[]> {
  const files: ListedFile[] = []
  for (const entry of await entriesOf(real)) {
    const path = [...segments, entry.name]
    if (entry.type === 'file') files.push({ path: path.join('/'), size: entry.size })
    else for (const file of await filesBelow(join(real, entry.name), path)) files.push(file)
  }
  return files.toSorted((one, other) => compare(one.path, other.path))
}

async function entriesOf(real: string): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = []
  for (const entry of await readdir(real, { withFileTypes: true })) {
    const { name } = entry
    if (entry.isDirectory()) entries.push({ type: 'folder', name })
    if (!entry.isFile()) continue
    entries.push({ type: 'file', name, size: (await stat(join(real, name))).size })
  }
  return entries
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/**
 * A zip of files of a job, each read when it is its turn. It fails when a file has been removed
 * meanwhile, and stops reading when the consumer stops.
 */
export async function zipOf(
  root: string,
  files: readonly { readonly file: ListedFile; readonly name: string }[],
): Promise<Readable> {
  // In the built program, what a CommonJS module exports has no names but this one.
  const { default: yazl } = await import('yazl')
  const zip = new yazl.ZipFile()
  const output = new PassThrough()
  let reading: Readable | null = null
  for (const { file, name } of files) {
    zip.addReadStreamLazy(nameInZip(name), (done) => {
      openBelow(root, file.path).then(
        // The consumer may have stopped while the file was opened.
        (stream) => (output.destroyed ? stream.destroy() : done(null, (reading = stream))),
        (error: unknown) => output.destroy(asError(error)),
      )
    })
  }
  zip.on('error', (error) => output.destroy(asError(error)))
  output.once('close', () => reading?.destroy())
  zip.outputStream.pipe(output)
  zip.end()
  return output
}

/** To programs that unpack, a backslash would begin a folder, and `C:` another disk. */
function nameInZip(name: string): string {
  return name.replaceAll('\\', '_').replace(/^([A-Za-z]):/, '$1_')
}

async function openBelow(root: string, path: string): Promise<Readable> {
  const real = await findInside(root, path.split('/'))
  const handle = real === null ? null : await openRegular(real)
  if (handle) return handle.createReadStream()
  throw new ServiceError('file-not-found', `There is no file ${path} any more`, { path })
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
