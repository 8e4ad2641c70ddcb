import { RevisionDetailsCache } from '../pages/revisions/revision-details.ts'
import { PageThread } from '../pages/work/page-thread.ts'
import type { BootContext } from './boot-context.ts'
import type { OpenedConfiguration } from './open-configuration.ts'

export type PageWork = ReturnType<typeof openPageWork>

/** What pages keep beside the calls. */
export function openPageWork(
  { environment: { clock }, shutdown }: BootContext,
  { config, entities }: OpenedConfiguration,
) {
  const { history, script } = config
  const work = shutdown.own('stop-background-work', new PageThread(config))
  const { compare, compareTextFirst } = work
  const details = new RevisionDetailsCache({ entities, history, script, clock })
  return { script, work, compare, compareTextFirst, details }
}
