import { z } from 'zod'
import { agentStatusOf, factsOf } from '../../agents/known-agent.ts'
import { viewablePipelines } from '../../builds/runs/list-pipelines.ts'
import type { EffectivePipelines } from '../../builds/configured/effective-pipelines.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { type IndexProgress, unfinished } from '../../index/index-progress.ts'
import { EVERYTHING } from '../../configuration/search/find-revisions.ts'
import { filterRevisions, type RevisionFilter } from '../../configuration/search/revision-filter.ts'
import { revisionsInTurns } from '../../configuration/search/in-turns.ts'
import type { TextIndex } from '../../index/text-index.ts'
import { MAX_OBJECT_NAME_LENGTH } from '../../core/object-name.ts'
import type { Principal } from '../../core/principal.ts'
import { type Revision, shownAuthor } from '../../core/revision.ts'
import { firstMomentOf, lastMomentOf } from '../../lib/moments.ts'
import { countOf } from '../kit/words/count.ts'
import type { Links } from '../kit/links.ts'
import type { PageStateDeps } from '../frame/page-state.tsx'
import {
  findInEffect,
  findNumber,
  numbered,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'
import { pagesNamed } from './search-pages.ts'
import { revisionTitle } from '../revisions/revision-title.ts'

export interface SearchDeps extends RevisionReadingDeps, PageStateDeps {
  readonly entities: EntityIndex
  readonly texts: TextIndex
  readonly pipelines: EffectivePipelines
}

/** One thing that was found, with a further detail such as its group or its author. */
export type SearchHit = z.infer<typeof SearchHit>
const SearchHit = z.object({
  title: z.string(),
  detail: z.string(),
  time: z.int().optional().meta({ description: 'Of a revision, in milliseconds' }),
  href: z.string(),
})

/** The results of one sort: the first of them, and a page with all; null where there is none. */
export type SearchGroup = z.infer<typeof SearchGroup>
export const SearchGroup = z.object({
  title: z.string(),
  count: z.int().nonnegative(),
  hits: z.array(SearchHit),
  all: z.string().nullable(),
})

export interface SearchResult {
  readonly groups: readonly SearchGroup[]
  /** How far the history is indexed, while it is not known as a whole. */
  readonly indexing: IndexProgress | null
  /** Whether agents were searched too. */
  readonly hasAgents: boolean
}

/** The note when agents were not searched. */
export const AGENTS_AWAY = 'Agents are not searched'
/** The things of each sort that are listed. */
const MAX_LISTED = 8
const MAX_ACTIONS = 3
/** Shorter texts are in nearly everything. */
const MIN_LENGTH = 2
/** A part of a digest or commit that is long enough to mean one. */
const HEXADECIMAL = new RegExp(`^[0-9a-f]{4,${MAX_OBJECT_NAME_LENGTH}}$`)

/**
 * Searches pipelines, agents, revisions, people, and the texts of the history, as far as the caller
 * may see them. Groups without a hit are left out.
 */
export async function search(
  deps: SearchDeps,
  principal: Principal,
  { text, links }: { readonly text: string; readonly links: Links },
): Promise<SearchResult> {
  const wanted = text.trim()
  const hasAgents = deps.runs() !== null
  if (wanted === '') return { groups: [], indexing: null, hasAgents }
  const asked = { wanted, links }
  const mayRead = deps.access.may(principal, { action: 'administer' })
  const things = [
    await pipelinesNamed(deps, principal, asked),
    agentsNamed(deps, asked),
    pagesNamed(links, { wanted, isAdministrator: mayRead }),
    await actionsOn(deps, principal, asked),
  ]
  const past = mayRead
    ? [
        removedNamed(deps, asked),
        ...(await revisionsAndPeopleNamed(deps, principal, asked)),
        await revisionsWith(deps, asked, 'mentions'),
        await revisionsWith(deps, asked, 'text'),
      ]
    : []
  return {
    groups: [...things, ...past].filter(({ count }) => count > 0),
    indexing: mayRead ? unfinished(deps.entities.progress()) : null,
    hasAgents,
  }
}

interface Asked {
  readonly wanted: string
  readonly links: Links
}

async function pipelinesNamed(
  deps: SearchDeps,
  principal: Principal,
  { wanted, links }: Asked,
): Promise<SearchGroup> {
  const found = await viewablePipelines(deps, principal, ({ group, pipeline: { name } }) =>
    contains([name, group], wanted),
  )
  const hits = found.slice(0, MAX_LISTED).map(({ group, pipeline: { name } }) => ({
    title: name,
    detail: `in ${group}`,
    href: links.pipeline(name),
  }))
  return { title: 'Pipelines', count: found.length, hits, all: links.pipelines({ q: wanted }) }
}

/** The pipelines with the text in their names that the caller may start. */
async function actionsOn(
  deps: SearchDeps,
  principal: Principal,
  { wanted, links }: Asked,
): Promise<SearchGroup> {
  const [verb = '', ...rest] = wanted.split(' ')
  const name = 'trigger'.startsWith(verb.toLowerCase()) && rest.length > 0 ? rest.join(' ') : wanted
  const found = await viewablePipelines(
    deps,
    principal,
    ({ pipeline }) =>
      contains([pipeline.name], name) &&
      deps.access.may(principal, { action: 'trigger-pipeline', pipeline: pipeline.name }),
  )
  const hits = found.slice(0, MAX_ACTIONS).map(({ pipeline }) => ({
    title: `Trigger ${pipeline.name}…`,
    detail: '',
    href: links.triggerPipeline(pipeline.name),
  }))
  return { title: 'Actions', count: hits.length, hits, all: null }
}

/** Pipelines that the configuration had once. */
function removedNamed({ entities, pipelines }: SearchDeps, { wanted, links }: Asked): SearchGroup {
  const found = entities.entities().filter(({ entity, label }) => {
    if (!entity.startsWith('pipeline/') || !contains([label], wanted)) return false
    return pipelines.find(label) === null
  })
  const hits = found.slice(0, MAX_LISTED).map(({ label }) => ({
    title: label,
    detail: 'removed pipeline',
    href: links.entity('pipeline', label),
  }))
  return { title: 'Removed', count: found.length, hits, all: null }
}

function agentsNamed({ runs }: SearchDeps, { wanted, links }: Asked): SearchGroup {
  const known = runs()?.directory.list() ?? []
  const found = known.flatMap((agent) => {
    const { hostname, ipAddress } = factsOf(agent)
    if (!contains([hostname, ipAddress, agent.uuid], wanted)) return []
    const title = hostname === '' ? agent.uuid : hostname
    return [{ title, detail: agentStatusOf(agent), href: links.agent(agent.uuid) }]
  })
  const hits = found.slice(0, MAX_LISTED)
  return { title: 'Agents', count: found.length, hits, all: links.agents({ q: wanted }) }
}

/** Revisions by number, by the start of digest or commit, and by day or time; and who saved some. */
async function revisionsAndPeopleNamed(
  deps: SearchDeps,
  principal: Principal,
  asked: Asked,
): Promise<readonly SearchGroup[]> {
  const { wanted } = asked
  const start = wanted.toLowerCase()
  const isName = HEXADECIMAL.test(start)
  const day = dayIn(wanted)
  const [named, ofDay] = [new FirstHits(), new FirstHits()]
  const people = new Map<string, number>()
  for await (const revisions of revisionsInTurns(deps.history)) {
    for (const revision of revisions) {
      const { digest, commit, time, username } = revision
      if (isName && (digest.startsWith(start) || commit.startsWith(start))) named.add(revision)
      if (day !== null && time >= day.since && time <= day.until) ofDay.add(revision)
      if (contains([username, shownAuthor(username)], wanted))
        people.set(username, (people.get(username) ?? 0) + 1)
    }
  }
  const found = { named, ofDay, isDay: day !== null }
  return [revisionsNamed(deps, principal, { ...asked, found }), peopleNamed(people, asked.links)]
}

/** The first revisions that were found, and how many there are. */
class FirstHits {
  readonly first: Revision[] = []
  count = 0

  add(revision: Revision): void {
    this.count += 1
    if (this.first.length < MAX_LISTED) this.first.push(revision)
  }
}

/** The first and the last moment of a day such as `2015-06-05`; null for another text. */
function dayIn(wanted: string): { readonly since: number; readonly until: number } | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(wanted)) return null
  const [since, until] = [firstMomentOf(wanted), lastMomentOf(wanted)]
  return since === null || until === null ? null : { since, until }
}

interface FoundByName {
  readonly named: FirstHits
  readonly ofDay: FirstHits
  readonly isDay: boolean
}

function revisionsNamed(
  deps: SearchDeps,
  principal: Principal,
  { wanted, links, found }: Asked & { readonly found: FoundByName },
): SearchGroup {
  const number = /^r?([1-9]\d{0,8})$/i.exec(wanted)?.[1]
  const ofNumber = number === undefined ? null : findNumber(deps.history, Number(number))
  const moment = wanted.includes('-') ? lastMomentOf(wanted) : null
  const inEffect = moment === null ? null : findInEffect(deps, principal, moment)
  const { named, ofDay, isDay } = found
  const hit = (revision: Revision) => hitOf(deps, links, revision)
  const byNumber = ofNumber === null ? [] : [hit(ofNumber)]
  const byTime = inEffect === null ? [] : [{ ...hit(inEffect), detail: `In effect at ${wanted}` }]
  return {
    title: 'Revisions',
    count: byNumber.length + named.count + byTime.length + ofDay.count,
    hits: [...byNumber, ...named.first.map(hit), ...byTime, ...ofDay.first.map(hit)],
    all: isDay ? links.history({ since: wanted, until: wanted }) : null,
  }
}

function peopleNamed(counts: ReadonlyMap<string, number>, links: Links): SearchGroup {
  const hits = [...counts].slice(0, MAX_LISTED).map(([username, count]) => ({
    title: shownAuthor(username),
    detail: countOf(count, 'revision'),
    href: links.history({ user: username, agents: '1' }),
  }))
  return { title: 'People', count: counts.size, hits, all: null }
}

const TITLES = {
  mentions: 'Changes',
  text: 'Text in history',
} as const satisfies Partial<Record<keyof RevisionFilter, string>>

/** The revisions whose description has the text, or that brought or removed it. */
async function revisionsWith(
  deps: SearchDeps,
  { wanted, links }: Asked,
  field: keyof typeof TITLES,
): Promise<SearchGroup> {
  const query = { [field === 'text' ? 'text' : 'q']: wanted, agents: '1' }
  const group = { title: TITLES[field], all: links.history(query) }
  if (wanted.length < MIN_LENGTH) return { ...group, count: 0, hits: [] }
  const { history, entities, texts } = deps
  const filter = { ...EVERYTHING, [field]: wanted }
  const found: Revision[] = []
  for await (const some of filterRevisions(filter, { history, entities, texts }))
    found.push(...some)
  const hits = found.slice(0, MAX_LISTED).map((revision) => hitOf(deps, links, revision))
  return { ...group, count: found.length, hits }
}

function hitOf({ history, entities }: SearchDeps, links: Links, revision: Revision): SearchHit {
  const found = numbered(history, revision)
  return {
    title: `r${found.number} · ${revisionTitle(revision, entities)}`,
    detail: shownAuthor(revision.username),
    time: revision.time,
    href: links.change(found),
  }
}

function contains(names: readonly string[], wanted: string): boolean {
  const lower = wanted.toLowerCase()
  return names.some((name) => name.toLowerCase().includes(lower))
}
