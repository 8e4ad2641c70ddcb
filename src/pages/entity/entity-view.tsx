import { raw } from 'hono/html'
import type { EntityHistory } from './entity-history.ts'
import { EntityName } from '../work/edit-scope.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { StateAway } from '../frame/page-state.tsx'
import { listingHtml } from '../code/listing-html.ts'
import { IndexingNotice } from '../parts/indexing-notice.tsx'
import { titleOf } from './entity-title.ts'
import { EntityTimeline } from './entity-timeline.tsx'

export interface EntityViewProps {
  readonly frame: PageFrame
  readonly entity: EntityHistory
  readonly now: number
}

/** The history of one entity, without other changes. */
export function EntityView(props: EntityViewProps) {
  const { frame, entity } = props
  return (
    <PageLayout
      frame={frame}
      title={titleOf({ kind: entity.address.kind, name: entity.label })}
      section="history"
      styles={['code.css', 'compare.css', 'snapshot.css', 'entity.css']}
    >
      <Head {...props} />
      {entity.indexing && <IndexingNotice progress={entity.indexing} />}
      {!entity.hasRuns && <StateAway what="Runs are not shown" />}
      <EntityTimeline {...props} />
      <CurrentXml {...props} />
    </PageLayout>
  )
}

function Head({ frame: { links }, entity }: EntityViewProps) {
  const { address, total, former, now, isAdministrator } = entity
  const query = { entity: address.entity }
  const edited = EntityName.safeParse(address)
  return (
    <div class="page-head">
      <div>
        <h1>{titleOf({ kind: entity.address.kind, name: entity.label })}</h1>
        <p class="muted">
          {`${total} ${total === 1 ? 'change' : 'changes'}${isAdministrator ? '' : ' that you may see'}. `}
          {former.length > 0 && `Formerly ${former.join(', ')}. `}
          {now === null && 'No longer in the current configuration. '}
        </p>
      </div>
      <div class="actions">
        {isAdministrator && (
          <a class="button" href={links.history()} aria-keyshortcuts="u">
            All revisions
          </a>
        )}
        {now !== null && (
          <RunsLink links={links} address={address} shortcut={isAdministrator ? undefined : 'u'} />
        )}
        {now !== null && <a class="button" href="#xml">{`XML of this ${address.kind}`}</a>}
        {isAdministrator && edited.success && now !== null && (
          <a
            class="button"
            href={links.edit({ entity: `${edited.data.kind}/${edited.data.name}` })}
            aria-keyshortcuts="e"
          >
            Edit
          </a>
        )}
        {isAdministrator && address.stage === null && (
          <a class="button" href={links.feed(query)}>
            Feed
          </a>
        )}
      </div>
    </div>
  )
}

/** The page of what the entity runs; only pipelines, stages and agents have one. */
function RunsLink(props: {
  links: Links
  address: EntityHistory['address']
  shortcut: string | undefined
}) {
  const { links, address } = props
  const { kind, name, stage } = address
  if (kind === 'agent') {
    return <PageLink {...props} href={links.agent(name)} label="Jobs of this agent" />
  }
  if (kind === 'pipeline') return <PageLink {...props} href={links.pipeline(name)} label="Runs" />
  if (stage === null) return <></>
  const pipeline = name.slice(0, name.indexOf('/'))
  return <PageLink {...props} href={links.stage({ pipeline, stage })} label="Runs" />
}

interface PageLinkProps {
  readonly href: string
  readonly label: string
  readonly shortcut: string | undefined
}

function PageLink({ href, label, shortcut }: PageLinkProps) {
  return (
    <a class="button" href={href} aria-keyshortcuts={shortcut}>
      {label}
    </a>
  )
}

function CurrentXml({ frame: { links }, entity, now: time }: EntityViewProps) {
  const { now, address, isAdministrator } = entity
  if (now === null) return <></>
  const inFile = (line: number) => `${links.snapshot(`r${now.revision}`, { line })}#L${line}`
  const addressOf = (line: number) => (isAdministrator ? inFile(line) : `#L${line}`)
  const listing = { runs: [], linkOf: () => '', first: now.line, now: time, addressOf }
  return (
    <section class="card now" id="xml">
      <div class="page-head">
        <h2>{`XML of this ${address.kind} now`}</h2>
        {isAdministrator && <a href={inFile(now.line)}>{`Line ${now.line} in file`}</a>}
      </div>
      {now.shown === null ? (
        <p class="muted">{`${now.lines.toLocaleString('en')} lines are too many to show here.`}</p>
      ) : (
        <div class="listing code" tabindex={0} role="group" aria-label="Lines">
          {raw(listingHtml(now.shown, listing))}
        </div>
      )}
    </section>
  )
}
