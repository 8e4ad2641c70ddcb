import { PageThread } from '../pages/work/page-thread.ts'
import type { BootContext } from './boot-context.ts'
import type { OpenedConfiguration } from './open-configuration.ts'

export type PageWork = ReturnType<typeof openPageWork>

/** The caches and threads of pages. */
export function openPageWork(
  { shutdown }: BootContext,
  { config, index: { details } }: OpenedConfiguration,
) {
  const { script } = config
  const work = shutdown.own('stop-background-work', new PageThread(config))
  const { compare, compareTextFirst } = work
  return { script, work, compare, compareTextFirst, details }
}
