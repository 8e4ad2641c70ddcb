import { PassThrough, type Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { ServiceError } from '../../core/errors.ts'
import { findInside, openRegular } from './folders.ts'
import type { ListedFile } from './listing.ts'

/**
 * A zip of files of a job, each read when it is its turn. It fails when a file has been removed
 * meanwhile, and stops reading when the consumer stops.
 */
export function zipOf(
  root: string,
  files: readonly { readonly file: ListedFile; readonly name: string }[],
): Readable {
  const zip = new ZipFile()
  const output = new PassThrough()
  let reading: Readable | null = null
  for (const { file, name } of files) {
    zip.addReadStreamLazy(nameInZip(name), (done) => {
      openBelow(root, file.path).then(
        (stream) => done(null, (reading = stream)),
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
