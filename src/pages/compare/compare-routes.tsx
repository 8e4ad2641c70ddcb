import type { Context } from 'hono'
import { OBJECT_NAME } from '../../core/object-name.ts'
import { CommitSha } from '../../core/revision.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import { readDiff } from '../../configuration/read/config-reading.ts'
import {
  type ComparedRevisions,
  type Comparison,
  findCompared,
  readComparison,
} from '../code/comparison.ts'
import { revealComparison } from '../snapshot/reveal-secrets.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseSha } from '../../http/parameters.ts'
import { PageCache, NO_STORE, pageResponse } from '../frame/page-response.ts'
import { definePageWith, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { compareQueryOf, comparisonOptionsOf, parseCompareQuery } from '../code/compare-query.ts'
import { answerPatch, PATCH, renderPatch } from './patch.ts'
import { mergeIn } from './merge-note.tsx'
import { type CompareViewProps, type Leak, renderComparePage } from './compare-view.tsx'
import { SummaryCard } from './summary-card.tsx'
import type { Principal } from '../../core/principal.ts'
import { firstMomentOf, lastMomentOf } from '../../lib/moments.ts'
import {
  findInEffect,
  findNamed,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'

type Configuration = PagesContext['configuration']

const BY_COMMITS = new RegExp(`/${OBJECT_NAME}/${OBJECT_NAME}\\.patch$`)

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 16 * 1_048_576

interface CompareState extends PagesContext {
  readonly kept: PageCache
}

const { get, post } = routesWith<CompareState>()

/** `/config/compare/…`: the differences of two revisions as a page and as a patch. */
export const comparePages = definePageWith(
  (context): CompareState => ({ ...context, kept: new PageCache(CACHE_BYTES) }),
  [
    get('/config/compare', ({ configuration, pages }, c) => {
      const fields = c.req.query()
      const { from, to } = chooseRevisions(configuration, c.env.principal, fields)
      const { entity = null } = fields
      return c.redirect(pages.links.compare(from, to, { entity }), 303)
    }),
    get(
      '/config/compare/:from/:file{.+\\.patch}',
      ({ configuration }, c) => {
        const from = c.req.param('from')
        const to = c.req.param('file').slice(0, -'.patch'.length)
        const compared = findCompared(configuration, c.env.principal, { from, to })
        return patch(configuration, c, compared)
      },
      {
        ...PATCH,
        summary: 'The difference of two revisions as a patch for git',
        errors: ['malformed-request', 'revision-not-found'],
      },
    ),
    get('/config/compare/:from/:to', answerComparison),
    get('/config/compare/:from/:to/reveal', ({ pages }, c) => {
      const { from, to } = c.req.param()
      return c.redirect(pages.links.compare(from, to, c.req.query()), 303)
    }),
    post('/config/compare/:from/:to/reveal', reveal, { audit: 'reveal-secrets' }),
  ],
)

async function answerComparison(
  context: CompareState,
  c: Context<RouteEnv, '/config/compare/:from/:to'>,
): Promise<Response> {
  const { pages, configuration, kept } = context
  const { from, to } = c.req.param()
  const query = parseCompareQuery(c.req.query())
  if (query.entity !== '' && !pages.isAdministrator(c.env.principal)) {
    const asked = { ...compareQueryOf(query), entity: null }
    return c.redirect(
      pages.links.compareEntity(splitEntity(query.entity), { from, to }, asked),
      302,
    )
  }
  await configuration.history.tags.refresh()
  const compared = findCompared(configuration, c.env.principal, { from, to })
  const shown = viewOf(context, c, { compared, query, from, to })
  const { frame, leaks } = shown
  const { indexed, of } = configuration.entities.progress()
  const isIndexed = indexed >= of
  const isFixed = isForEver(compared, { from, to }) && isIndexed && frame.problems.length === 0
  const { before, after, older, newer } = compared
  const neighbours = `${older?.commit ?? ''} ${newer?.commit ?? ''}`
  const known = `${isIndexed} ${JSON.stringify([leaks, [before, after, ...compared.between].map(({ tags }) => tags)])}`
  const narrowed = frame.wordsOf(query.entity)
  const facts = [before.commit, after.commit, neighbours, c.req.url, known, narrowed]
  const etag = pages.etag(frame, facts)
  const immutable = isFixed && leaks.length === 0
  const flash = pages.flash.take(c)
  const read = () => readComparison(configuration, compared, comparisonOptionsOf(query))
  const common = { ...shown, flash, hasTags: !immutable }
  if (flash !== null) {
    const comparison = await read()
    const summary = await comparison.describe()
    const page = await renderComparePage({ ...common, comparison, summary })
    return pageResponse(page, 200, NO_STORE)
  }
  return kept.answer(c, { etag, immutable }, async () => {
    const comparison = await read()
    const view = { ...common, comparison }
    if (!isTextFirst(comparison)) {
      return { page: await renderComparePage({ ...view, summary: await comparison.describe() }) }
    }
    return {
      page: await renderComparePage({ ...view, summary: 'later' }),
      later: async () => (
        <SummaryCard {...view} described={await comparison.describe()} place="below-text" />
      ),
    }
  })
}

/** The view of two revisions, but for their differences. */
function viewOf(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
  {
    compared,
    ...asked
  }: Pick<CompareViewProps, 'query' | 'from' | 'to'> & { readonly compared: ComparedRevisions },
): Omit<CompareViewProps, 'comparison' | 'summary'> {
  return {
    ...pages.open(c),
    ...asked,
    fileName: configuration.fileName,
    origin: pages.originOf(c.req.raw),
    leaks: leaksOf(configuration, compared),
    merge: mergeIn(configuration, compared),
    flash: null,
    reveal: null,
    hasTags: false,
  }
}

/** The plain secrets of the two revisions; the same ones are those of the later revision, as whoever acknowledges them does so for both. */
function leaksOf(
  { secretAlarm }: Configuration,
  { before, after }: ComparedRevisions,
): readonly Leak[] {
  const leaks = [['L', before] as const, ['R', after] as const].flatMap(([side, revision]) => {
    const secrets = secretAlarm.find(revision)
    return secrets === null ? [] : [{ side, revision, secrets }]
  })
  const [one, other] = leaks
  if (one === undefined || other === undefined || placesOf(one) !== placesOf(other)) return leaks
  return [one.revision.number < other.revision.number ? other : one]
}

/** Tells other secrets apart; lines above them may move them. */
function placesOf({ secrets: { secrets } }: Leak): string {
  return JSON.stringify(secrets.map(({ message, path }) => [message, path]))
}

/** Whether readers get the text of a comparison before its summary, which takes longer. */
function isTextFirst({ isLarge, next, previous }: Comparison): boolean {
  return isLarge && (next !== null || previous !== null)
}

/**
 * The page with decrypted secrets. It requires commits, so that the audit log names the exact
 * revisions.
 */
async function reveal(
  context: PagesContext,
  c: Context<RouteEnv, '/config/compare/:from/:to/reveal'>,
): Promise<Response> {
  const { configuration } = context
  const names = {
    from: parseSha(c.req.param('from'), 'from'),
    to: parseSha(c.req.param('to'), 'to'),
  }
  const query = parseCompareQuery(c.req.query())
  const compared = findCompared(configuration, c.env.principal, names)
  const { shown, count } = await revealComparison(
    configuration,
    compared,
    comparisonOptionsOf(query),
  )
  const [from, to] = [`r${compared.before.number}`, `r${compared.after.number}`]
  const summary = await shown.describe()
  const view = { ...viewOf(context, c, { compared, query, from, to }), summary, reveal: count }
  return pageResponse(await renderComparePage({ ...view, comparison: shown }), 200, NO_STORE)
}

async function patch(
  configuration: Configuration,
  c: Context<RouteEnv>,
  compared: ComparedRevisions,
): Promise<Response> {
  const { before, after } = compared
  return answerPatch(c, {
    text: renderPatch(await readDiff(configuration, { before, after }), configuration.fileName),
    name: `r${before.number}-r${after.number}`,
    etag: `${before.commit}..${after.commit}`,
    immutable: BY_COMMITS.test(c.req.path),
  })
}

/** A comparison addressed by commits never changes once a later revision exists. */
function isForEver(
  { newer }: ComparedRevisions,
  { from, to }: { from: string; to: string },
): boolean {
  return newer !== null && [from, to].every((name) => CommitSha.safeParse(name).success)
}

/** The fields of the forms that ask for a comparison. */
type ChooserFields = Readonly<Record<string, string>>

/**
 * The names of the two revisions that a form asks for: by `a` and `b`, each a revision or a time, or
 * `by=dates` what changed from the day `since` to the day `until`. What was in force before the
 * first of two times is the older side, so that a change of that day is among the differences.
 * Without `b` it is the current one, and without `a` the one before.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
function chooseRevisions(
  deps: RevisionReadingDeps,
  principal: Principal,
  { a = '', b = '', since = '', until = '', by }: ChooserFields,
): { readonly from: string; readonly to: string } {
  if (by === 'dates') {
    return {
      from: since === '' ? 'r1' : named(deps, principal, since, 'before'),
      to: until === '' ? 'current' : named(deps, principal, until, 'at-end'),
    }
  }
  const newest = `r${deps.history.size()}`
  const to = b === '' ? newest : named(deps, principal, b.trim(), 'at-end')
  return {
    from: a === '' ? baseOf(deps, principal, to) : named(deps, principal, a.trim(), 'before'),
    to,
  }
}

/** The name of the revision upon which another one came; of itself for the first. */
function baseOf(deps: RevisionReadingDeps, principal: Principal, name: string): string {
  const { number, base } = findNamed(deps, principal, name)
  return `r${base ?? number}`
}

/** The name for an address: times become the revision that was in force, before or at the end of them. */
function named(
  deps: RevisionReadingDeps,
  principal: Principal,
  text: string,
  when: 'before' | 'at-end',
): string {
  const time = when === 'at-end' ? lastMomentOf(text) : firstMomentOf(text)
  if (time === null) return /^\d+$/.test(text) ? `r${text}` : text
  const { number } =
    findInEffect(deps, principal, when === 'at-end' ? time : time - 1) ??
    findNamed(deps, principal, 'r1')
  return `r${number}`
}
