import type { CalledService } from '../service/service.ts'

/** How many answers of a service had statuses that begin so, by its metrics. */
export async function answersWith(
  service: Pick<CalledService, 'fetch'>,
  status: string,
): Promise<number> {
  const metrics = await (await service.fetch('/metrics')).text()
  const pattern = /^cairn_http_request_duration_seconds_count\{.*status="(\d+)"\} (\d+)$/gm
  return Array.from(metrics.matchAll(pattern))
    .filter(([, given = '']) => given.startsWith(status))
    .reduce((sum, [, , count]) => sum + Number(count), 0)
}
