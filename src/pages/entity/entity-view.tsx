import { raw } from 'hono/html'
import { capitalised } from '../../lib/texts.ts'
import type { EntityHistory } from './entity-history.ts'
import { hasForm } from '../../document/form/form-shape.ts'
import { EntityName } from '../work/edit-scope.ts'
import { type OpenPageWithMessage, type PageFrame, PageLayout } from '../kit/layout.tsx'
import { EffectiveTable } from './effective-table.tsx'
import { LinkButton, LinkChoice, PROPOSE_CHANGE } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import type { EntityAddress } from '../revisions/entity-address.ts'
import type { Links } from '../kit/links.ts'
import { StateAway } from '../frame/page-state.tsx'
import { listingHtml } from '../code/listing-html.ts'
import { IndexingNotice } from '../parts/indexing-notice.tsx'
import { EntityTimeline } from './entity-timeline.tsx'

export interface EntityViewProps extends OpenPageWithMessage {
  readonly entity: EntityHistory
}

/** The history of one entity, without other changes. */
export function EntityView(props: EntityViewProps) {
  const { frame, entity, flash } = props
  return (
    <PageLayout
      frame={frame}
      title={titleOf(frame, entity.address)}
      section="history"
      styles={['code.css', 'compare.css', 'snapshot.css', 'entity.css']}
    >
      {flash && <FlashCard flash={flash} />}
      <Head {...props} />
      {entity.indexing && <IndexingNotice progress={entity.indexing} />}
      {!entity.hasRuns && <StateAway what="Runs are not shown" />}
      <EntityTimeline {...props} />
      <CurrentXml {...props} />
    </PageLayout>
  )
}

function Head({ frame, entity }: EntityViewProps) {
  const { links } = frame
  const { address, total, former, now, isAdministrator } = entity
  const runs = runsOf(links, address)
  const edited = EntityName.safeParse(address)
  const before = removalBase(entity)
  const isFollowed = isAdministrator && address.stage === null
  return (
    <PageHead
      {...(isAdministrator ? { trail: [['← History', links.history(), 'u']] } : {})}
      title={titleOf(frame, entity.address)}
      about={
        <>
          {countOf(total, address.kind === 'group' ? 'revision' : 'change')}
          {address.kind === 'group' && ' of the group and its pipelines'}
          {`${isAdministrator ? '' : ' that you can see'}. `}
          {former.length > 0 && `Formerly ${former.join(', ')}. `}
          {now === null && 'No longer in the current configuration. '}
        </>
      }
      actions={
        <>
          {now !== null && runs !== null && (
            <LinkButton {...runs} shortcut={isAdministrator ? undefined : 'u'} />
          )}
          {entity.mayEdit && edited.success && now === null && before !== null && (
            <LinkButton
              href={links.restoreEntity(edited.data, `r${before}`)}
              label="Bring back…"
              look="primary"
            />
          )}
          {entity.mayOnlyPropose && edited.success && now !== null && (
            <LinkButton href={links.form(edited.data)} {...PROPOSE_CHANGE} look="primary" />
          )}
          {entity.mayEdit && edited.success && now !== null && (
            <LinkButton
              href={
                hasForm(edited.data.kind)
                  ? links.form(edited.data)
                  : links.edit({ entity: `${edited.data.kind}/${edited.data.name}` })
              }
              label="Edit"
              icon="pencil"
              look="primary"
              shortcut="e"
            />
          )}
        </>
      }
      menu={
        (isFollowed || now !== null) && (
          <>
            {now !== null && <a href="#xml">{`XML of this ${address.kind}`}</a>}
            {isFollowed && <a href={links.history({ entity: address.entity })}>In the history</a>}
            {isFollowed && <a href={links.feed({ entity: address.entity })}>Feed</a>}
            {isFollowed && now !== null && (
              <a href={links.rules({ q: address.entity })}>Rules about its changes</a>
            )}
          </>
        )
      }
    />
  )
}

/** The number of the last revision that had an entity; null where its removal is not on the page. */
function removalBase({ steps, offset }: EntityHistory): number | null {
  const removal = offset === 0 ? steps[0] : undefined
  return removal?.revision.base ?? null
}

/** The page of the runs of an entity; pipelines, groups, stages and agents have one. */
function runsOf(links: Links, { kind, name, stage }: EntityHistory['address']) {
  if (kind === 'agent') return { href: links.agent(name), label: 'Jobs of this agent' }
  if (kind === 'pipeline') return { href: links.pipeline(name), label: 'Runs' }
  if (kind === 'group') {
    return { href: links.pipelines({ q: `group:"${name}"` }), label: 'Pipelines' }
  }
  if (stage === null) return null
  return { href: links.stage({ pipeline: name.slice(0, name.indexOf('/')), stage }), label: 'Runs' }
}

function CurrentXml({ frame: { links }, entity, now: time }: EntityViewProps) {
  const { now, address, isAdministrator, effective } = entity
  const offersEffective = address.kind === 'pipeline' && entity.mayEdit
  if (now === null) return <></>
  const inFile = (line: number) => `${links.snapshot(`r${now.revision}`, { line })}#L${line}`
  const addressOf = (line: number) => (isAdministrator ? inFile(line) : `#L${line}`)
  const listing = { runs: [], linkOf: () => '', first: now.line, now: time, addressOf }
  return (
    <section class="card below" id="xml">
      <div class="card-head">
        <h2>{`${effective === null ? 'XML of this' : 'This'} ${address.kind} now`}</h2>
        {offersEffective && (
          <LinkChoice
            label="Form"
            options={[null, 'effective'].map((show) => [
              show === null ? 'As written' : 'As it runs',
              `${links.entity(address.kind, address.name, { show })}#xml`,
              (show === null) === (effective === null),
            ])}
          />
        )}
        {isAdministrator && <a href={inFile(now.line)}>{`Line ${now.line} in file`}</a>}
      </div>
      {effective !== null ? (
        <EffectiveTable
          form={effective}
          addressOf={(line) => (isAdministrator ? inFile(line) : null)}
        />
      ) : now.shown === null ? (
        <p class="muted">{`${now.lines.toLocaleString('en')} lines are too many to show here.`}</p>
      ) : (
        <div class="listing code" tabindex={0} role="group" aria-label="Lines">
          {raw(listingHtml(now.shown, listing))}
        </div>
      )}
    </section>
  )
}

/** `Pipeline checkout` */
export function titleOf({ wordsOf }: PageFrame, { kind, name }: EntityAddress): string {
  return capitalised(wordsOf(`${kind}/${name}`))
}
