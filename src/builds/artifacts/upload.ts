import nodeFs, { lstat, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { malformedRequest, ServiceError } from '../../core/errors.ts'
import { draftName } from '../../storage/file-draft.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { artifactSegments, CONSOLE_PATH } from './artifact-path.ts'
import { assertRoomFor, orDiskFull } from './disk-full.ts'
import { inTheWay, makeRoom } from './folders.ts'

/** The limit of bytes of a path with everything before it, for the system. */
const MAX_PATH_BYTES = 4_096

export interface Upload {
  /** The folder of the job. */
  readonly folder: string
  /** The target of the file, below that folder. */
  readonly path: string
  readonly body: AsyncIterable<Uint8Array>
  /** The announced size, in bytes. */
  readonly size: number
  /** Rejects when the sender, by the time that the body has come, may not send it any more. */
  readonly decide: () => Promise<unknown>
}

/** The folder of unfinished uploads, and the limit of a file's size, in bytes. */
export interface UploadLimits {
  readonly drafts: string
  readonly largest: number
}

/**
 * Stores a file among the artifacts of a job, replacing an existing one. It appears only when
 * complete. Returns the change of the job's size in bytes.
 *
 * @throws {ServiceError} `malformed-request`, `body-too-large`, `disk-full`.
 */
export async function keepUpload(upload: Upload, limits: UploadLimits): Promise<number> {
  const segments = artifactSegments(upload.path)
  if (segments.length === 0 || upload.path === CONSOLE_PATH) throw inTheWay(upload.path)
  if (Buffer.byteLength(join(upload.folder, upload.path)) >= MAX_PATH_BYTES)
    throw malformedRequest('The path of the file is too long for the disk of the server', 'path')
  if (upload.size > limits.largest) throw tooLarge(limits.largest)
  await assertRoomFor(upload.size, { folder: limits.drafts, what: 'file' })
  return orDiskFull(async () => {
    const draft = join(limits.drafts, draftName())
    try {
      await writeDraft(draft, upload)
      await upload.decide()
      const target = await makeRoom(upload.folder, segments)
      const replaced = await orNullWhenAbsent(lstat(target))
      await moveTo(draft, target, upload.path)
      await syncFolder(nodeFs, dirname(target))
      return upload.size - (replaced?.size ?? 0)
    } finally {
      await rm(draft, { force: true })
    }
  })
}

async function writeDraft(draft: string, { body, size }: Upload): Promise<void> {
  const handle = await open(draft, 'wx', 0o644)
  try {
    let received = 0
    for await (const part of body) {
      received += part.length
      if (received > size) throw cutShort(`more than the ${size} bytes that were announced`)
      await handle.writeFile(part)
    }
    if (received < size) throw cutShort(`${received} of ${size} bytes`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function moveTo(draft: string, target: string, path: string): Promise<void> {
  try {
    await rename(draft, target)
  } catch (error) {
    if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(fsErrorCode(error) ?? '')) throw error
    throw inTheWay(path)
  }
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('body-too-large', `The file is larger than ${limit} bytes`, { limit })
}

function cutShort(arrived: string): ServiceError {
  return malformedRequest(`The file did not arrive whole: ${arrived}`)
}
