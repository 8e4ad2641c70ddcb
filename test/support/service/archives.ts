import { EDITION } from '../../../src/configuration/config-services.ts'
import { inspectAsIs } from '../../../src/configuration/current/validate-only.ts'
import { type ArchivingRequest, makeArchive } from '../../../src/operations/archive/make-archive.ts'
import { VERSION } from '../../../src/server/version.ts'

/** Moves what is older than a time into a file, while no service runs on the repository. */
export async function archive(repository: string, request: ArchivingRequest): Promise<void> {
  await makeArchive(request, {
    repository,
    fileName: 'config.xml',
    inspect: inspectAsIs,
    serverEdition: EDITION,
    serverVersion: VERSION,
    programPath: process.env['PATH'],
    clock: Date.now,
  })
}
