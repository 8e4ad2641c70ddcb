import { z } from 'zod'
import type { DocumentKind } from '../document-kind.ts'
import { ServiceError } from '../errors.ts'

export const Permitted = z.enum(['allowed', 'refused'])

/** The actions that the service refuses for a time, and the reason. */
export const ServiceMaintenance = z.object({
  /** Changes of the configuration. */
  saves: Permitted,
  /** Runs of pipelines and stages. Those in progress continue to their end. */
  starts: Permitted,
  /** Empty when no reason was given. */
  reason: z.string(),
  /** The user who set it, or `Server`; empty before anybody did. */
  by: z.string(),
  /** The time of the last change, in milliseconds since the UNIX epoch; null before the first. */
  since: z.int().nullable(),
})
export type ServiceMaintenance = Readonly<z.infer<typeof ServiceMaintenance>>
export type MaintenanceSubject = 'saves' | 'starts'

/** The one document of its kind has the key {@link MAINTENANCE_KEY}. */
export const MAINTENANCE: DocumentKind<ServiceMaintenance> = {
  name: 'maintenance',
  schema: ServiceMaintenance,
}
export const MAINTENANCE_KEY = 'service'

export const NO_MAINTENANCE: ServiceMaintenance = {
  saves: 'allowed',
  starts: 'allowed',
  reason: '',
  by: '',
  since: null,
}

export function isMaintained({ saves, starts }: ServiceMaintenance): boolean {
  return saves === 'refused' || starts === 'refused'
}

/** The state as a sentence without a full stop, such as `Maintenance: saves are refused: new disks`. */
export function describeMaintenance({ saves, starts, reason }: ServiceMaintenance): string {
  const refused = [
    ...(saves === 'refused' ? ['changes of the configuration'] : []),
    ...(starts === 'refused' ? ['new runs'] : []),
  ].join(' and ')
  return `Maintenance: ${refused} are refused${reason === '' ? '' : `: ${reason}`}`
}

/** The error of a refused action; null where it is allowed. */
export function maintenanceObstacle(
  subject: MaintenanceSubject,
  maintenance: ServiceMaintenance | null,
): ServiceError<'maintenance'> | null {
  if (maintenance === null || maintenance[subject] === 'allowed') return null
  const { reason } = maintenance
  const [what, other] =
    subject === 'saves' ? (['saves', 'starts'] as const) : (['starts', 'saves'] as const)
  const message = describeMaintenance({ ...maintenance, [what]: 'refused', [other]: 'allowed' })
  return new ServiceError('maintenance', message, { reason })
}
