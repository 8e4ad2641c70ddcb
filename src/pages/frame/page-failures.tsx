import type { AnswerFailure, Failure } from '../../http/failure.ts'
import { NOBODY } from '../../http/request-context.ts'
import { NO_STORE, pageResponse } from './page-response.ts'
import { type KeptForm, ownPath } from './kept-form.ts'
import type { PageContext } from './page-context.ts'
import type { PagesContext } from './pages-context.ts'
import { LinkButton } from '../kit/buttons.tsx'
import { FirstOf, problemText } from '../kit/lists.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Principal } from '../../core/principal.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'

/** Renders errors as pages. */
export function pageFailures({ pages, keptForms }: PagesContext): AnswerFailure {
  return async (request, failure, { id, path, principal }) => {
    const frame = pages.frame(request, principal === NOBODY ? null : principal)
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    const isRefused =
      frame.username !== '' && !frame.isAdministrator && [401, 403].includes(failure.status)
    const views = isRefused ? ownViews(pages, { principal, path }) : []
    const kept = isReading || principal === NOBODY ? null : await keptForms.keepWhole(request)
    const back = cameFrom(request, pages.links.root())
    const shown = { frame, failure, requestId: id, isReading, views, kept, back }
    const page = <ErrorPage {...shown} />
    const { 'retry-after': retry } = failure.headers
    const refresh: Record<string, string> =
      isReading && failure.status === 503 && retry !== undefined ? { refresh: retry } : {}
    return pageResponse(page, failure.status, {
      ...failure.headers,
      ...refresh,
      ...(kept && NO_STORE),
    })
  }
}

const TITLES = new Map([
  [400, 'The request is not valid'],
  [401, 'Log in to see this page'],
  [403, 'You do not have permission'],
  [404, 'Not found'],
  [405, 'Not possible here'],
  [409, 'Not possible now'],
  [412, 'The configuration has changed'],
  [413, 'Too large'],
  [422, 'The configuration is not valid'],
  [429, 'Too many requests'],
  [503, 'Not available at the moment'],
  [507, 'The disk of the server is full'],
])

const OPERATOR = 'If that does not help, give the request ID to the operator of this server.'
/** Advice about an error. */
const ADVICE = new Map([
  [403, 'An administrator can give you the permission.'],
  [404, 'Check the address, or find it with the search.'],
  [405, 'Open the page that has the form instead.'],
  [500, 'Give the request ID to the operator of this server: the log has the reason.'],
  [503, `Try again in a minute. ${OPERATOR}`],
  [507, 'The service is read-only until there is room.'],
])

/** The list of pipelines has those of an administrator of more parts. */
const MAX_VIEWS = 10

interface ErrorPageProps {
  readonly frame: PageFrame
  readonly failure: Failure
  readonly requestId: string
  /** Whether the request can be repeated by its address. */
  readonly isReading: boolean
  /** The pages about the same that the caller may see. */
  readonly views: readonly OwnView[]
  /** The form that was sent, to be sent again. */
  readonly kept: KeptForm | null
  /** The page that the caller came from. */
  readonly back: string | null
}

/** The error as a sentence, with advice. */
function ErrorPage(props: ErrorPageProps) {
  const { frame, failure, requestId, isReading, views, kept, back } = props
  const { status, message } = failure
  const isUnknown = status === 401 && frame.username === ''
  const isRefused = status === 403 || (status === 401 && !isUnknown)
  const title = TITLES.get(isRefused ? 403 : status) ?? 'Something went wrong'
  const isLacking = isRefused && !frame.isAdministrator
  const advice = isRefused && !isLacking ? undefined : ADVICE.get(isRefused ? 403 : status)
  return (
    <PageLayout frame={frame} title={title}>
      <div class="card error">
        <p class="muted">{`Error ${status}`}</p>
        <h1>{title}</h1>
        <p>{/[.!?]$/.test(message) ? message : `${message}.`}</p>
        <Problems failure={failure} />
        {advice !== undefined && <p>{advice}</p>}
        <OwnViews views={views} />
        <SendAgain kept={kept} />
        <p class="actions">
          {status === 503 && isReading && (
            <LinkButton href={frame.here} label="Try again" look="primary" />
          )}
          {back !== null && <LinkButton href={back} label="Back" />}
          {isLacking && <LinkButton href={frame.links.account()} label="Your permissions" />}
          <LinkButton href={frame.links.root()} label={isUnknown ? 'Log in' : 'Home'} />
        </p>
        <p class="muted">
          Request ID <code>{requestId}</code>
        </p>
      </div>
    </PageLayout>
  )
}

/** The form that had no effect, to be sent again. Texts of several lines are shown, to be copied or changed. */
function SendAgain({ kept }: Pick<ErrorPageProps, 'kept'>) {
  if (kept === null || kept.fields.length === 0) return <></>
  return (
    <form class="fields" method="post" action={kept.to} enctype="multipart/form-data">
      <p>What you sent is kept here. You can send it again.</p>
      {kept.fields.map(([name, value]) =>
        value.includes('\n') ? (
          <label class="field">
            Your text
            <textarea name={name} rows={12}>
              {`\n${value}`}
            </textarea>
          </label>
        ) : (
          <input type="hidden" name={name} value={value} />
        ),
      )}
      <p class="actions">
        <button class="primary">Send again</button>
      </p>
    </form>
  )
}

/** The page of this service that a request came from; null where that is not known. */
function cameFrom(request: Request, root: string): string | null {
  const referrer = request.headers.get('referer') ?? ''
  if (!URL.canParse(referrer)) return null
  const { host, pathname, search } = new URL(referrer)
  return host === request.headers.get('host') ? ownPath(`${pathname}${search}`, root) : null
}

function OwnViews({ views }: Pick<ErrorPageProps, 'views'>) {
  if (views.length === 0) return <></>
  return (
    <>
      <p>You can see:</p>
      <FirstOf items={views} most={MAX_VIEWS} of={({ href, text }) => <a href={href}>{text}</a>} />
    </>
  )
}

/** The places of the error, unless they only repeat its message. */
function Problems({ failure: { message, problems } }: { failure: Failure }) {
  const others = problems.filter(
    (problem) => problem.line !== undefined || problem.message !== message,
  )
  if (others.length === 0) return <></>
  return <FirstOf items={others} most={Infinity} of={problemText} />
}

/** A page that a caller may see in place of one that is refused. */
interface OwnView {
  readonly href: string
  readonly text: string
}

/** The shown part of a digest or a commit. */
const MAX_NAME_LENGTH = 10
const COMPARISON = /^\/config\/compare\/([^/%]+)\/([^/%]+?)(?:\.patch|\/reveal)?$/
const SNAPSHOT = /^\/config\/(r\d+|[0-9a-f]{32,64})(?:\/|$)/

/** The pages about the same as a refused one, of each group and template that the caller administers. */
function ownViews(
  pages: Pick<PageContext, 'administeredBy' | 'links'>,
  { principal, path }: { readonly principal: Principal; readonly path: string },
): readonly OwnView[] {
  return pages.administeredBy(principal).map((part) => viewOf(pages.links, part, path))
}

function viewOf(links: PageContext['links'], part: EntityPlace, path: string): OwnView {
  const what = `${part.kind} ${part.name}`
  const [, from, to] = COMPARISON.exec(path) ?? []
  if (from !== undefined && to !== undefined) {
    const href = links.compareEntity(part, { from, to })
    return { href, text: `Changes to ${what} from ${from} to ${to}` }
  }
  const [, revision] = SNAPSHOT.exec(path) ?? []
  if (revision !== undefined) {
    const href = links.compareEntity(part, { from: revision, to: 'current' })
    return { href, text: `Changes to ${what} since ${revision.slice(0, MAX_NAME_LENGTH)}` }
  }
  if (path.startsWith('/config/edit')) return { href: links.form(part), text: `Edit ${what}` }
  return { href: links.entity(part.kind, part.name), text: `History of ${what}` }
}
