import { EDITION } from '../configuration/config-services.ts'
import { inspectAsIs } from '../configuration/current/validate-only.ts'
import { XML_LIMITS } from '../document/xml/xml-limits.ts'
import { type AdoptionOptions, assertAdoptable } from '../history/sync/adoptable.ts'

/**
 * Refuses a repository that is not one of configurations before users and keys are made for a service that
 * has it.
 *
 * @throws {ServiceError} `unavailable`
 */
export function assertMayBegin(
  places: Pick<AdoptionOptions, 'repository' | 'fileName' | 'programPath'>,
  version: string,
): Promise<void> {
  const { repository, fileName, programPath } = places
  return assertAdoptable({
    repository,
    fileName,
    programPath,
    inspect: inspectAsIs,
    largestDocument: XML_LIMITS.maxBytes,
    serverEdition: EDITION,
    serverVersion: version,
  })
}
