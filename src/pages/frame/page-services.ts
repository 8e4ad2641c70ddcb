import type { ConfigurationDomain } from '../../configuration/configuration-domain.ts'
import type { HistoryIndex } from '../../index/history-index.ts'
import { PageThread } from '../work/page-thread.ts'

/** The services of pages alone: their thread, and the details of revisions. */
export interface PageServices extends Pick<PageThread, 'compare' | 'compareTextFirst'> {
  readonly work: PageThread
  readonly details: HistoryIndex['details']
}

export function openPageServices(
  { script }: Pick<ConfigurationDomain, 'script'>,
  { details }: HistoryIndex,
): PageServices {
  const work = new PageThread({ script })
  const { compare, compareTextFirst } = work
  return { work, compare, compareTextFirst, details }
}
