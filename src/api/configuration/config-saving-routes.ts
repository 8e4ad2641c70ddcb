import type { Context } from 'hono'
import { z } from 'zod'
import { type ErrorCode, ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { saveDocument, type SaveRequest } from '../../configuration/save/config-saving.ts'
import type { SavedChange } from '../../configuration/save/save-group.ts'
import { saveAndHold } from '../../builds/plan/hold-added.ts'
import { RefusedFormBody, SavedBody, savedBody, SavedFormBody } from '../../wire/action-bodies.ts'
import { DIGEST_DESCRIBED, digestHeaders, parseIfMatch } from './digest-header.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { messageOf } from '../../http/change-message.ts'
import { json, renderError, shown } from '../../http/errors.ts'
import { malformed, parseDigest } from '../../http/parameters.ts'
import { assertKnownFields, readBody, readForm, textField } from '../../http/request-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { fieldsBody, FORM_TYPE, jsonAnswer, MESSAGE_HEADER } from '../definition/operation.ts'
import { PREFER_HEADER, prefersProposal, PROPOSED, saveOrPropose } from './prefer-propose.ts'
import { leadingNow } from '../definition/mount-routes.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const HOLD = 'X-Cairn-Hold'
/** Saves may hold what they add. */
const HOLD_HEADER = {
  [HOLD]: {
    text: '`pipelines` pauses the pipelines that the save adds, so that none of them starts',
    schema: z.literal('pipelines').optional(),
  },
}

/** A save, and whether the pipelines that it adds are paused, so that nothing of them starts. */
interface HoldingRequest extends SaveRequest {
  readonly holds: boolean
}

const SaveFields = z.strictObject({
  xmlFile: z.string(),
  md5: z.string(),
  message: z.string().optional(),
})

/** The form of the original, on each of its two paths. */
const formRoute = {
  method: 'POST',
  summary: 'Saves the configuration, as the form of the original does',
  caller: 'groupAdministrator',
  audit: 'save-configuration',
  needs: needsLeader,
  headers: { ...MESSAGE_HEADER, ...HOLD_HEADER, ...PREFER_HEADER },
  body: fieldsBody(SaveFields, { types: [FORM_TYPE, 'multipart/form-data'] }),
  answers: {
    200: jsonAnswer('Saved', SavedFormBody, DIGEST_DESCRIBED),
    ...PROPOSED,
    409: jsonAnswer('Not valid, or changed by another user in the same place', RefusedFormBody),
  },
  errors: ['malformed-request', 'body-too-large'],
  example: {
    body: { xmlFile: SAMPLE.document, md5: SAMPLE.digest },
    answer: { result: 'File changed successfully.' },
  },
  handle: async (c: Context<RouteEnv>, context: ApiContext) => {
    const request = await readSaveForm(c.req.raw, context.site.maxBody)
    const save = async () => {
      const { revision, setAside } = await saveOrHold(context, c.env.principal, request)
      const headers = digestHeaders(revision.digest, context.site.clientNames)
      const body = { result: 'File changed successfully.', ...(setAside !== null && { setAside }) }
      return json(body, 200, headers)
    }
    return answerAsForm(c, request.document, () =>
      saveOrPropose(c, context, save, () => proposedBy(request)),
    )
  },
} as const

/** The status of the errors that clients of the original read in its own form. */
const FORM_STATUS: ReadonlyMap<ErrorCode, 404 | 409> = new Map([
  ['config-invalid', 409],
  ['config-stale', 409],
  ['entity-not-found', 404],
])

const route = routeWith<ApiContext>('Configuration')

/** Saving the whole document: the original's form on its two paths, and PUT with `If-Match`. */
export const configSavingResource = resource({
  open: (context: ApiContext) => context,
  routes: [
    route({ ...formRoute, path: '/api/admin/config.xml' }),
    route({ ...formRoute, path: '/admin/restful/configuration/file/POST/xml' }),
    route({
      method: 'PUT',
      path: '/api/admin/config.xml',
      summary: 'Saves the configuration',
      caller: 'groupAdministrator',
      audit: 'save-configuration',
      needs: needsLeader,
      headers: {
        'If-Match': { text: 'The digest that the edit is based on, or `*`', schema: z.string() },
        ...MESSAGE_HEADER,
        ...HOLD_HEADER,
        ...PREFER_HEADER,
      },
      body: { required: true, content: [{ type: 'application/xml', schema: null }] },
      answers: {
        200: jsonAnswer('Saved', SavedBody, { ...DIGEST_DESCRIBED, ETag: 'The new digest' }),
        ...PROPOSED,
      },
      errors: [
        'malformed-request',
        'base-missing',
        'body-too-large',
        'config-invalid',
        'config-stale',
      ],
      example: {
        headers: { 'If-Match': `"${SAMPLE.digest}"` },
        body: SAMPLE.document,
        answer: { message: 'The configuration is saved' },
      },
      handle: async (c, context) => {
        const basedOn = await neededIfMatch(c.req.header('if-match'), context)
        const message = messageOf(c.req.raw)
        const document = await readBody(c.req.raw, context.site.maxBody)
        const holds = holdsAdded(c.req.raw)
        const request = { door: 'put', document, basedOn, message, holds } as const
        const save = async () => {
          const { revision, setAside } = await saveOrHold(context, c.env.principal, request)
          const headers = digestHeaders(revision.digest, context.site.clientNames)
          const body = savedBody('The configuration is saved', setAside)
          return json(body, 200, { ...headers, etag: `"${revision.digest}"` })
        }
        return saveOrPropose(c, context, save, () => proposedBy(request))
      },
    }),
  ],
})

async function readSaveForm(request: Request, limit: number): Promise<HoldingRequest> {
  const form = await readForm(request, limit)
  assertKnownFields(form, SaveFields)
  const document = form.get('xmlFile')?.at(-1)
  const md5 = textField(form, 'md5')
  if (!document) throw malformed('The field xmlFile is missing', 'xmlFile')
  if (md5 === null) throw malformed('The field md5 is missing', 'md5')
  return {
    door: 'post',
    document: new Uint8Array(document),
    basedOn: parseDigest(md5.trim(), 'md5'),
    message: messageOf(request, form),
    holds: holdsAdded(request),
  }
}

/**
 * The form in which clients of the original read a refused save: `result`, and their own text back.
 */
export async function answerAsForm(
  c: Context<RouteEnv>,
  document: Uint8Array,
  save: () => Promise<Response>,
): Promise<Response> {
  try {
    return await save()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const status = FORM_STATUS.get(error.code)
    if (status === undefined) throw error
    c.env.reason = error.code
    const originalContent = Buffer.from(document).toString('utf8')
    return json({ result: shown(error.message), originalContent, ...renderError(error) }, status)
  }
}

/** Only the leader can pause pipelines and make proposals. */
function needsLeader(request: Request): boolean {
  return request.headers.has(HOLD) || prefersProposal(request)
}

/** The proposal that a refused save becomes. */
function proposedBy({ document, basedOn, message = '' }: SaveRequest) {
  const summary = 'Change the configuration'
  return { content: { document }, base: basedOn, message, summary }
}

function saveOrHold(
  context: ApiContext,
  principal: Principal,
  { holds, ...request }: HoldingRequest,
): Promise<SavedChange> {
  return holds
    ? saveAndHold(leadingNow(context.leader()).builds, principal, request)
    : saveDocument(context.configuration, principal, request)
}

/** @throws {ServiceError} `malformed-request` for a word that means nothing. */
function holdsAdded(request: Request): boolean {
  const held = request.headers.get(HOLD)
  if (held === null || held === 'pipelines') return held !== null
  throw malformed(`${HOLD} is "${held}"; it may be "pipelines"`, HOLD)
}

/** A save says what it began from. */
function neededIfMatch(header: string | undefined, { configuration }: ApiContext) {
  if (header !== undefined && header.trim() !== '') {
    return parseIfMatch(header, configuration.history)
  }
  const message = 'The header If-Match with the digest that the edit is based on is needed'
  throw new ServiceError('base-missing', message, { header: 'If-Match' })
}
