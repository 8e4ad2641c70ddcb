import type { CalledService } from './service.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

/** The entries of the audit log that commands have left, newest first. */
export async function commandsIn(service: Pick<CalledService, 'fetch'>) {
  const response = await service.fetch('/api/audit?address=command%20line')
  return AuditBody.parse(await response.json()).entries
}
