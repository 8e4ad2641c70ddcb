import type { ConfiguredAccess } from '../../configuration/access/access.ts'
import {
  type EntityDiffDeps,
  readEntityChanges,
} from '../../configuration/entities/compare-entity.ts'
import { entitiesChangedBy } from '../../configuration/entities/read-revision-changes.ts'
import { ServiceError } from '../../core/errors.ts'
import type { MailWishes, PipelineNews } from '../../core/service/mail-wishes.ts'
import { isSameName, nameKey } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { RunEventType, ServiceEvent } from '../../core/service/service-event.ts'
import { foldEntity, splitEntity } from '../../document/entities/entities.ts'
import type { EntityChanged } from './mail-news.ts'

/** A user who may log in, with the news that the user wants. */
export interface Subscriber {
  readonly id: string
  readonly principal: Principal
  readonly wishes: MailWishes
}

/** Whether an approval by a user is needed, possible, and not given. */
export type IsAwaited = (principal: Principal) => Promise<boolean>

export interface NewsDeps {
  readonly access: ConfiguredAccess
  readonly changes: EntityDiffDeps
  /** The people for whom a proposal waits. */
  readonly awaited: (proposal: number) => Promise<IsAwaited>
}

const NEWS_OF_RUNS: Readonly<Record<RunEventType, readonly PipelineNews[]>> = {
  'run.broken': ['breaks', 'fails'],
  'run.failed': ['fails'],
  'run.fixed': ['fixed', 'passes'],
  'run.passed': ['passes'],
  'run.cancelled': ['cancelled'],
}

/** The events after which a proposal may wait for somebody for whom it did not wait before. */
const WAITING: readonly ServiceEvent['type'][] = [
  'proposal.opened',
  'proposal.updated',
  'proposal.review-taken-back',
  'proposal.held',
]

const PIPELINE = 'pipeline/'
const GROUP = 'group/'

/** The subscribers who are told of an event. */
export async function hearersOf(
  { access, awaited }: NewsDeps,
  subscribers: readonly Subscriber[],
  event: ServiceEvent,
): Promise<readonly Subscriber[]> {
  if ('pipeline' in event) {
    const news = NEWS_OF_RUNS[event.type]
    return subscribers.filter(
      ({ principal, wishes }) =>
        wishes.news.some((each) => news.includes(each)) &&
        isMeant({ access, principal, wishes }, event) &&
        access.may(principal, { action: 'view-pipeline', pipeline: event.pipeline }),
    )
  }
  if (!('number' in event) || !WAITING.includes(event.type)) return []
  const asking = subscribers.filter(({ wishes }) => wishes.proposals)
  if (asking.length === 0) return []
  const isAwaited = await awaited(event.number)
  const waits = await Promise.all(asking.map(({ principal }) => isAwaited(principal)))
  return asking.filter((_, n) => waits[n])
}

/** A subscriber with the news of a revision for the subscriber. */
export type Told = readonly [Subscriber, EntityChanged]

/** The changes of a revision that each subscriber is told: those that the subscriber may read of it. */
export async function changesFor(
  deps: NewsDeps,
  subscribers: readonly Subscriber[],
  { revision, previous }: { readonly revision: Revision; readonly previous: Revision },
): Promise<readonly Told[]> {
  const asking = subscribers.filter(
    ({ wishes }) => wishes.entities.length > 0 || wishes.news.includes('changed'),
  )
  if (asking.length === 0) return []
  const changed = await entitiesChangedBy(deps.changes, { revision, previous })
  const told: Told[] = []
  for (const subscriber of asking) {
    for (const entity of entitiesFor(deps, subscriber, changed)) {
      const changes = await readChangesOf(deps, subscriber.principal, {
        entity,
        revision,
        previous,
      })
      if (changes.length === 0) continue
      const { commit, username, time } = revision
      told.push([subscriber, { type: 'changed', time, entity, commit, username, changes }])
    }
  }
  return told
}

/** The changed entities that a subscriber wants to hear of. A group may change with each of its pipelines. */
function entitiesFor(
  { access }: NewsDeps,
  { principal, wishes }: Subscriber,
  changed: readonly string[],
): readonly string[] {
  const names = new Set(changed.map(foldEntity))
  const named = wishes.entities.filter(
    (entity) => entity.startsWith(GROUP) || names.has(foldEntity(entity)),
  )
  if (!wishes.news.includes('changed')) return named
  const pipelines = changed.filter((entity) => {
    const pipeline = entity.slice(PIPELINE.length)
    return entity.startsWith(PIPELINE) && isMeant({ access, principal, wishes }, { pipeline })
  })
  const known = new Set(named.map(foldEntity))
  return [...named, ...pipelines.filter((entity) => !known.has(foldEntity(entity)))]
}

async function readChangesOf(
  { changes: deps }: NewsDeps,
  principal: Principal,
  {
    entity,
    revision,
    previous,
  }: { readonly entity: string; readonly revision: Revision; readonly previous: Revision },
): Promise<readonly string[]> {
  try {
    const asked = { from: previous.commit, to: revision.commit, place: splitEntity(entity) }
    const { changes } = await readEntityChanges(deps, principal, asked)
    return changes.map(({ text }) => text)
  } catch (error) {
    const isHidden =
      error instanceof ServiceError && ['not-permitted', 'entity-not-found'].includes(error.code)
    if (isHidden) return []
    throw error
  }
}

/** Whether a subscriber wants news about a pipeline, or about a stage of it. */
function isMeant(
  {
    access,
    principal,
    wishes,
  }: Pick<NewsDeps, 'access'> & Pick<Subscriber, 'principal' | 'wishes'>,
  { pipeline, stage }: { readonly pipeline: string; readonly stage?: string },
): boolean {
  const isNamed = wishes.pipelines.some((name) => {
    const [wanted = '', part] = name.split('/', 2)
    const isPart = part === undefined || stage === undefined || isSameName(part, stage)
    return isSameName(wanted, pipeline) && isPart
  })
  return isNamed || (wishes.own && access.ownPipelines(principal).has(nameKey(pipeline)))
}

/** Whether a subscriber may still be told something that was found for the subscriber earlier. */
export async function mayHear(
  deps: NewsDeps,
  { principal }: Subscriber,
  news: ServiceEvent | EntityChanged,
): Promise<boolean> {
  if (news.type === 'changed') return mayReadNow(deps, principal, news)
  if ('pipeline' in news)
    return deps.access.may(principal, { action: 'view-pipeline', pipeline: news.pipeline })
  return 'number' in news && (await deps.awaited(news.number))(principal)
}

/** A change of an entity is read once more, by the rights of now. */
async function mayReadNow(
  deps: NewsDeps,
  principal: Principal,
  { entity, commit }: EntityChanged,
): Promise<boolean> {
  const { history } = deps.changes
  const revision = history.findCommit(commit)
  const previous = revision && history.previousOf(revision)
  if (!revision || !previous) return false
  return (await readChangesOf(deps, principal, { entity, revision, previous })).length > 0
}
