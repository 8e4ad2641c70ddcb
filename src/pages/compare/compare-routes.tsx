import { type Context, Hono } from 'hono'
import { OBJECT_NAME } from '../../core/object-name.ts'
import { CommitSha } from '../../core/revision.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { type ConfigReadingDeps, readDiff } from '../../configuration/read/config-reading.ts'
import {
  type ComparedRevisions,
  type Comparison,
  type ComparisonDeps,
  findCompared,
  readComparison,
} from '../code/comparison.ts'
import { type RevealDeps, revealComparison } from '../snapshot/reveal-secrets.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseSha } from '../../http/parameters.ts'
import { PageCache, NO_STORE, pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { comparisonOptionsOf, parseCompareQuery } from '../code/compare-query.ts'
import { answerPatch, renderPatch } from './patch.ts'
import { chooseRevisions } from './choose-revisions.ts'
import type { PlainSecretAlarm } from '../../configuration/read/plain-secret-alarm.ts'
import { CompareView, type Leak } from './compare-view.tsx'
import { SummaryCard } from './summary-card.tsx'

export interface CompareRoutesOptions extends ComparisonDeps, ConfigReadingDeps, RevealDeps {
  readonly secretAlarm: PlainSecretAlarm
  readonly entities: EntityIndex
  readonly pages: PageContext
  readonly fileName: string
}

const BY_COMMITS = new RegExp(`/${OBJECT_NAME}/${OBJECT_NAME}\\.patch$`)

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 16 * 1_048_576

/** `/config/compare/…`: the differences of two revisions as a page and as a patch. */
export function compareRoutes(options: CompareRoutesOptions) {
  const page = comparePages(options)
  return new Hono<RouteEnv>()
    .get('/config/compare', (c) => {
      const { from, to } = chooseRevisions(options, c.env.principal, c.req.query())
      return c.redirect(options.pages.links.compare(from, to), 303)
    })
    .get('/config/compare/:from/:file{.+\\.patch}', async (c) => {
      const from = c.req.param('from')
      const to = c.req.param('file').slice(0, -'.patch'.length)
      const compared = findCompared(options, c.env.principal, { from, to })
      return patch(options, c, compared)
    })
    .get('/config/compare/:from/:to', page)
    .get('/config/compare/:from/:to/reveal', (c) => {
      const { from, to } = c.req.param()
      return c.redirect(options.pages.links.compare(from, to, c.req.query()), 303)
    })
    .post('/config/compare/:from/:to/reveal', (c) => reveal(options, c))
}

function comparePages(options: CompareRoutesOptions) {
  const kept = new PageCache(CACHE_BYTES)
  const { pages, fileName } = options
  return async (c: Context<RouteEnv, '/:from/:to'>) => {
    const { from, to } = c.req.param()
    const query = parseCompareQuery(c.req.query())
    const compared = findCompared(options, c.env.principal, { from, to })
    const frame = pages.frame(c.req.raw, c.env.principal)
    const { indexed, of } = options.entities.progress()
    const isIndexed = indexed >= of
    const isFixed = isForEver(compared, { from, to }) && isIndexed && frame.problems.length === 0
    const { before, after, older, newer } = compared
    const neighbours = `${older?.commit ?? ''} ${newer?.commit ?? ''}`
    const leaks = leaksOf(options, compared)
    const known = `${isIndexed} ${JSON.stringify(leaks)}`
    const facts = [before.commit, after.commit, neighbours, c.req.url, known]
    const etag = pages.etag(frame, facts)
    const immutable = isFixed && leaks.length === 0
    const flash = pages.flash.take(c)
    const read = () => readComparison(options, compared, comparisonOptionsOf(query))
    const origin = pages.originOf(c.req.raw)
    const common = { frame, query, from, to, fileName, origin, flash, leaks, reveal: null }
    if (flash !== null) {
      const comparison = await read()
      const summary = await comparison.describe()
      const page = <CompareView {...common} comparison={comparison} summary={summary} />
      return pageResponse(page, 200, NO_STORE)
    }
    return kept.answer(c, { etag, immutable }, async () => {
      const comparison = await read()
      const view = { ...common, comparison }
      if (!isTextFirst(comparison)) {
        return { page: <CompareView {...view} summary={await comparison.describe()} /> }
      }
      return {
        page: <CompareView {...view} summary="later" />,
        later: async () => (
          <SummaryCard {...view} described={await comparison.describe()} place="below-text" />
        ),
      }
    })
  }
}

/** The plain secrets of the two revisions. */
function leaksOf(
  { secretAlarm }: Pick<CompareRoutesOptions, 'secretAlarm'>,
  { before, after }: ComparedRevisions,
): readonly Leak[] {
  return [['L', before] as const, ['R', after] as const].flatMap(([side, revision]) => {
    const secrets = secretAlarm.find(revision)
    return secrets === null ? [] : [{ side, revision, secrets }]
  })
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
  options: CompareRoutesOptions,
  c: Context<RouteEnv, '/config/compare/:from/:to/reveal'>,
): Promise<Response> {
  const { pages, fileName } = options
  const { principal } = c.env
  const names = { from: parseSha(c.req.param('from')), to: parseSha(c.req.param('to')) }
  const query = parseCompareQuery(c.req.query())
  const compared = findCompared(options, principal, names)
  const { shown, count } = await revealComparison(options, compared, comparisonOptionsOf(query))
  const [from, to] = [`r${compared.before.number}`, `r${compared.after.number}`]
  const origin = pages.originOf(c.req.raw)
  const frame = pages.frame(c.req.raw, principal)
  const summary = await shown.describe()
  const leaks = leaksOf(options, compared)
  const view = { frame, query, from, to, fileName, origin, summary, leaks, flash: null }
  const page = <CompareView {...view} comparison={shown} reveal={count} />
  return pageResponse(page, 200, NO_STORE)
}

async function patch(
  options: CompareRoutesOptions,
  c: Context<RouteEnv>,
  compared: ComparedRevisions,
): Promise<Response> {
  const { before, after } = compared
  return answerPatch(c, {
    text: renderPatch(await readDiff(options, { before, after }), options.fileName),
    name: `r${before.number}-r${after.number}`,
    etag: `${before.commit}..${after.commit}`,
    immutable: isNamedByCommit(c.req.path),
  })
}

/** A comparison addressed by commits never changes once a later revision exists. */
function isForEver(
  { newer }: ComparedRevisions,
  { from, to }: { from: string; to: string },
): boolean {
  return newer !== null && [from, to].every((name) => CommitSha.safeParse(name).success)
}

function isNamedByCommit(path: string): boolean {
  return BY_COMMITS.test(path)
}
