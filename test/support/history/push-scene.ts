import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentWith } from '../documents/documents.ts'
import { Clone } from '../git/git-client.ts'
import { save } from '../service/saving.ts'
import { startService, type TestService } from '../service/service.ts'

export async function revisionsOf(service: TestService) {
  const revisions: unknown = await (await service.fetch('/api/config/revisions')).json()
  return Array.isArray(revisions) ? revisions : []
}

export function liveFileOf(repository: string): string {
  return readFileSync(join(repository, 'config.xml'), 'utf8')
}

/** A service with one saved document, and a clone of its repository. */
export async function serviceAndClone(...flags: readonly string[]) {
  const service = await startService(flags)
  await save(service, documentWith('alpha'))
  return { service, clone: await Clone.of(service.url) }
}
