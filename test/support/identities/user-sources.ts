import { z } from 'zod'
import type { CalledService } from '../service/service.ts'

const Problems = z.object({ problems: z.array(z.object({ subject: z.string() })) })

/**
 * The state of a directory or provider for an operator: the status of /health, its problems, and
 * the gauge.
 */
export async function sourceSeen(service: Pick<CalledService, 'fetch'>, source: 'ldap' | 'oidc') {
  const health = await service.fetch('/health')
  const { problems } = Problems.parse(await health.json())
  const metrics = await (await service.fetch('/metrics')).text()
  const [, value] =
    new RegExp(`cairn_user_source_up\\{source="${source}"\\} (\\d)`).exec(metrics) ?? []
  return {
    status: health.status,
    problems: problems.map(({ subject }) => subject),
    isUp: Number(value),
  }
}
