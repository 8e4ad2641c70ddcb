import { splitEntity } from '../document/entities/entities.ts'
import type { MailLinks } from '../notify/mail/mail-digest.tsx'
import { Links } from '../pages/kit/links.ts'
import type { AppContext } from './context.ts'

/**
 * Addresses of pages for readers of mail: below `--public-url`, or the address of the site in the
 * configuration.
 */
export function mailLinks({
  site,
  configuration,
}: Pick<AppContext, 'site' | 'configuration'>): MailLinks {
  const { history } = configuration
  const { server } = configuration.configuration.read().configuration
  const address = site.publicUrl ?? server?.secureSiteUrl ?? server?.siteUrl ?? null
  const origin = address !== null && URL.canParse(address) ? new URL(address).origin : null
  const links = new Links(site.basePath)
  const at = (path: string) => (origin === null ? null : `${origin}${path}`)
  return {
    run: (event) => at(links.stageRun(event)),
    proposal: (number) => at(links.proposal(number)),
    change: (entity, commit) => {
      const found = history.findCommit(commit)
      const number = found && history.numberOf(found)
      const base = found && history.previousOf(found)
      if (!number) return null
      const step = { number, base: base && history.numberOf(base) }
      return at(links.entityChange(splitEntity(entity), step))
    },
    account: () => at(links.account()),
  }
}
