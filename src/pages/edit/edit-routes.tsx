import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { z } from 'zod'
import { jsonAnswer } from '../../api/definition/operation.ts'
import { SAMPLE } from '../../api/definition/sample.ts'
import { QUIET } from '../../api/definition/route-rules.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { PLAIN } from '../code/comparison.ts'
import { redirectDone } from '../frame/form-action.ts'
import { proposeChange, refusedSave } from './propose-change.ts'
import { decideConflict } from './edit-conflict.ts'
import type { DraftProblem } from '../work/draft-examination.ts'
import { beginEdit, type EditDraft, firstLineOf, openDraft } from './edit-draft.ts'
import { type EditOutcome, type EditReview, reviewEdit, saveEdit } from './edit-review.ts'
import { findNamed, numbered, revisionNamed } from '../revisions/numbered-revision.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json, statusOf } from '../../http/errors.ts'
import { NO_STORE, pageResponse, pageWithText, policyWith } from '../frame/page-response.ts'
import { defineLeaderPage, PAGES_TAG, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { ConflictView } from './conflict-view.tsx'
import { type EditForm, parseEntity, readEditForm } from './edit-form.ts'
import { planChange } from '../../builds/plan/plan-entity.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { copyPipeline } from '../../document/create-pipeline/create-pipeline.ts'
import { EditView } from './edit-view.tsx'
import { readInvalidEdit } from '../../configuration/save/invalid-live-file.ts'
import { PreviewView } from './preview-view.tsx'
import { editBase } from './started-from.tsx'

type EditContext = Context<RouteEnv>

const { get, post } = routesWith<LeaderPagesContext>()

/**
 * `/config/edit`: the XML in a form, the preview of its changes, and the resolution of conflicts.
 */
export const editPages = defineLeaderPage([
  get('/config/edit', async (context, c) => {
    const { principal } = c.env
    const entity = parseEntity(c.req.query('entity') ?? '')
    const name = c.req.query('from')
    if (name === 'live') return repairLiveFile(context, c)
    const undone = c.req.query('undo')
    if (undone !== undefined) return editUndoing(context, c, undone)
    const copied = c.req.query('copy')
    if (copied !== undefined) return editCopy(context, c, copied)
    assertMay(context.builds.access, principal, { action: 'administer-something' })
    const from = name === undefined ? null : revisionNamed(context.builds.history, name)
    const start = await beginEdit(context.builds, principal, { entity, from })
    const draft = { typed: start.text, basedOn: start.base.digest, entity }
    const notice =
      from === null ? null : `This is the text of r${from.number}. Preview it, then save.`
    return answerEditor(context, c, draft, { notice })
  }),
  post(
    '/config/edit/check',
    async ({ builds, site }, c) => {
      const { draft } = await readEditForm(c.req.raw, site.maxBody)
      return json((await openDraft(builds, c.env.principal, draft)).check)
    },
    {
      tag: PAGES_TAG,
      summary: 'The problems of a text that is being edited',
      caller: 'administrator',
      audit: QUIET,
      body: {
        required: true,
        content: [
          {
            type: 'application/x-www-form-urlencoded',
            schema: z.object({
              xml: z.string(),
              basedOn: z.string(),
              entity: z.string().optional(),
            }),
          },
        ],
      },
      answers: {
        200: jsonAnswer('Problems', z.object({ problems: z.array(z.unknown()) }).loose()),
      },
      errors: ['malformed-request', 'body-too-large', 'entity-not-found', 'config-stale'],
      example: {
        body: { xml: SAMPLE.document, basedOn: SAMPLE.digest },
        answer: { problems: [] },
      },
    },
  ),
  post(
    '/config/edit',
    async (context, c) => {
      const form = await readEditForm(c.req.raw, context.site.maxBody)
      try {
        const answer = await act(context, c, form)
        // The editor answers 200 as long as nothing is saved.
        c.env.isNews = answer.status !== 200
        return answer
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        c.env.reason = error.code
        const notice = `${error.message}. Nothing is saved, and your text is below.`
        return answerEditor(context, c, form.draft, {
          notice,
          message: form.message,
          status: statusOf(error),
        })
      }
    },
    { audit: 'save-configuration' },
  ),
])

async function act(context: LeaderPagesContext, c: EditContext, form: EditForm): Promise<Response> {
  const { builds } = context
  const { principal } = c.env
  const { action } = form
  if (action === 'edit') return answerEditor(context, c, form.draft, { message: form.message })
  const draft = await decided(builds, principal, form)
  if (action === 'save') return save(context, c, { form, draft })
  const review = await reviewEdit(builds, principal, draft)
  if (action === 'propose' && review.kind === 'ready') {
    const { before, after, current } = review.ready
    const change = { base: current.digest, before, after, message: form.message }
    return redirectDone(context, c, await proposeChange(context, principal, change))
  }
  if (action === 'check' && review.kind === 'ready') {
    const notice = 'No problems. You can save this.'
    return answerEditor(context, c, draft, { notice, message: form.message })
  }
  return answerReview(context, c, { form, draft }, review)
}

/** A save that is left to others shows its preview again, from where it can be proposed. */
async function save(context: LeaderPagesContext, c: EditContext, given: Given): Promise<Response> {
  const { builds } = context
  const { principal } = c.env
  const { draft, form } = given
  try {
    const { message } = form
    return answerOutcome(context, c, given, await saveEdit(builds, principal, { draft, message }))
  } catch (error) {
    const notice = refusedSave(error)
    if (notice === null) throw error
    const review = await reviewEdit(builds, principal, draft)
    c.env.reason = 'not-permitted'
    return answerReview(context, c, { ...given, notice }, review)
  }
}

async function answerOutcome(
  context: LeaderPagesContext,
  c: EditContext,
  given: Given,
  outcome: EditOutcome,
): Promise<Response> {
  if (outcome.kind !== 'saved') return answerReview(context, c, given, outcome)
  const revision = numbered(context.builds.history, outcome.revision)
  const { pages } = context
  const { principal } = c.env
  const flash = pages.flash.query(principal, 'saved', `r${revision.number}`, outcome)
  const { entity } = given.draft
  const isOwn = entity !== null && !context.builds.access.may(principal, { action: 'administer' })
  const address = isOwn
    ? pages.links.entity(entity.kind, entity.name, flash)
    : pages.links.change(revision, flash)
  return c.redirect(address, 303)
}

/** The document before a revision as an edit of that revision: what was saved later is merged, or in conflict. */
async function editUndoing(
  context: LeaderPagesContext,
  c: EditContext,
  name: string,
): Promise<Response> {
  const { builds, pages } = context
  const { history } = builds
  const revision = findNamed(builds, c.env.principal, name)
  const previous = history.previousOf(revision)
  if (previous === null) return c.redirect(pages.links.undo(name), 303)
  const typed = Buffer.from(await history.readDocument(previous)).toString('utf8')
  const draft = { typed, basedOn: revision.digest, entity: null }
  const review = await reviewEdit(builds, c.env.principal, draft)
  const form = { message: '', against: null, choices: [] }
  return answerReview(context, c, { form, draft }, review)
}

/** The editor with a copy of a pipeline in the current document. */
async function editCopy(
  context: LeaderPagesContext,
  c: EditContext,
  from: string,
): Promise<Response> {
  const { builds } = context
  assertMay(builds.access, c.env.principal, { action: 'administer' })
  const to = c.req.query('as') ?? ''
  const { text, start } = copyPipeline(builds.configuration.read(), { from, to })
  const draft = { typed: text, basedOn: builds.history.current().digest, entity: null }
  const { check } = await openDraft(builds, c.env.principal, draft)
  const line = text.slice(0, start).split('\n').length
  const notice = `${to} is a copy of ${from}, at line ${line}. Preview it, then save.`
  return answerEditor(context, c, draft, { notice, problems: check.problems })
}

/** The editor with the live file that is not valid; a save puts the repaired text in its place. */
async function repairLiveFile(context: LeaderPagesContext, c: EditContext): Promise<Response> {
  const { builds, pages } = context
  const edit = await readInvalidEdit(builds, c.env.principal)
  if (edit?.bytes == null) return c.redirect(pages.links.liveFile(), 303)
  const typed = Buffer.from(edit.bytes).toString('utf8')
  const draft = { typed, basedOn: builds.history.current().digest, entity: null }
  const { check } = await openDraft(builds, c.env.principal, draft)
  return answerEditor(context, c, draft, {
    notice: REPAIR,
    isRepair: true,
    problems: check.problems,
  })
}

const REPAIR =
  'This is the file on disk. Repair it, then save: the file is kept under another name, and your text takes its place.'

/** A form, and the draft that results from it. */
interface Given {
  readonly form: Pick<EditForm, 'message' | 'against' | 'choices'>
  readonly draft: EditDraft
  /** Why a save was refused; absent where none was. */
  readonly notice?: string
}

/** The draft with the choices of a conflict applied, if there was one. */
async function decided(
  builds: LeaderPagesContext['builds'],
  principal: Principal,
  { draft, against, choices }: EditForm,
): Promise<EditDraft> {
  const theirs =
    against === null || choices.length === 0 ? null : await builds.history.findEver(against)
  if (theirs === null) return draft
  return decideConflict(builds, principal, draft, { against: theirs, choices })
}

async function answerReview(
  context: LeaderPagesContext,
  c: EditContext,
  { form, draft, notice }: Given,
  review: EditReview,
): Promise<Response> {
  const { pages, builds } = context
  const { history } = builds
  switch (review.kind) {
    case 'unchanged':
      return answerEditor(context, c, draft, {
        notice: 'No changes to save.',
        message: form.message,
      })
    case 'invalid':
      c.env.reason = 'config-invalid'
      return answerEditor(context, c, review.draft, {
        problems: review.problems,
        message: form.message,
        status: 422,
      })
    case 'conflict': {
      const isAsked = c.req.method === 'GET'
      if (!isAsked) c.env.reason = 'config-stale'
      const { conflict } = review
      const view = {
        frame: pages.frame(c.req.raw, c.env.principal),
        draft,
        message: form.message,
        conflict,
        base: editBase(history, conflict.base),
        current: numbered(history, conflict.current),
        choices: form.choices,
        isIncomplete: form.against !== null,
      }
      return pageResponse(<ConflictView {...view} />, isAsked ? 200 : 409, NO_STORE)
    }
    case 'ready': {
      const { before, after, current, mergedFrom } = review.ready
      const view = {
        frame: pages.frame(c.req.raw, c.env.principal),
        draft,
        message: form.message,
        current: numbered(history, current),
        mergedFrom: mergedFrom && editBase(history, mergedFrom),
        comparison: await builds.compare(
          await builds.gate.viewFor(c.env.principal, { before, after }),
          PLAIN,
        ),
        hasInvalidEdit: history.hasInvalidEdit,
        plan: await planChange(builds, c.env.principal, {
          document: after,
          door: 'form',
          message: form.message,
        }),
        notice: notice ?? null,
        isForOthers: false,
      }
      return pageResponse(<PreviewView {...view} />, notice === undefined ? 200 : 403, NO_STORE)
    }
  }
}

/** The editor shows no page of a document, so of a large one the outline lists little. */
const NO_LINES = { first: 1, last: 0 }

interface Shown {
  readonly notice?: string | null
  readonly problems?: readonly DraftProblem[]
  readonly message?: string
  readonly isRepair?: boolean
  readonly status?: number
}

async function answerEditor(
  context: LeaderPagesContext,
  c: EditContext,
  draft: EditDraft,
  shown: Shown,
): Promise<Response> {
  const { pages, builds } = context
  const { history } = builds
  const nonce = randomBytes(16).toString('base64')
  const base = (await history.findEver(draft.basedOn)) ?? history.current()
  const view = {
    frame: pages.frame(c.req.raw, c.env.principal),
    nonce,
    base: editBase(history, base),
    entity: draft.entity,
    message: shown.message ?? '',
    firstLine: await firstLineOf(builds, base, draft.entity),
    problems: shown.problems ?? [],
    notice: shown.notice ?? null,
    hasInvalidEdit: history.hasInvalidEdit,
    isRepair: shown.isRepair ?? false,
    outline:
      draft.entity === null
        ? await builds.work.outline({ document: Buffer.from(draft.typed), page: NO_LINES })
        : null,
  }
  const headers = { ...NO_STORE, 'content-security-policy': policyWith(nonce) }
  return pageWithText(<EditView {...view} />, draft.typed, {
    status: shown.status ?? 200,
    headers,
  })
}
