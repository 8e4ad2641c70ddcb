import type { Context } from 'hono'
import { z } from 'zod'
import { RESTORING_HEADERS } from './restoring-calls.ts'
import { ServiceError } from '../../core/errors.ts'
import {
  readRestored,
  assertMayRestore,
  restoreRevision,
  type RestoreRequest,
} from '../../configuration/save/config-restoring.ts'
import { RestoredBody, savedBody } from '../../wire/action-bodies.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { DIGEST_DESCRIBED, digestHeaders, parseIfMatch } from './digest-header.ts'
import { checkedMessage, messageOf } from '../../http/change-message.ts'
import { commitNamed } from './named-commit.ts'
import { json, renderError } from '../../http/errors.ts'
import { readFields, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { fieldsBody, jsonAnswer } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { prefersProposal, PROPOSED, saveOrPropose } from './prefer-propose.ts'
import { SAMPLE } from '../definition/sample.ts'

/** A reason and the form around it, in bytes. */
const MAX_BODY_BYTES = 65_536

const Text = z.string().optional()
const RestoreFields = z.strictObject({ message: Text, reason: Text })
const route = routeWith<ApiContext>('Configuration')

/** `POST /api/config/revisions/[commit]/restore`: an older revision becomes current again. */
export const restoreResource = resource({
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/config/revisions/:commit/restore',
      summary: 'Restores an older revision as a new one',
      caller: 'groupAdministrator',
      audit: 'restore-revision',
      headers: RESTORING_HEADERS,
      needs: prefersProposal,
      body: fieldsBody(RestoreFields, { required: false }),
      answers: {
        200: jsonAnswer('Restored', RestoredBody, DIGEST_DESCRIBED),
        ...PROPOSED,
        409: jsonAnswer('The revision is not valid any more', ErrorBody),
      },
      errors: ['malformed-request', 'revision-not-found', 'config-stale', 'body-too-large'],
      example: {
        headers: { 'If-Match': `"${SAMPLE.digest}"` },
        body: { reason: 'The new agents are not ready' },
        answer: {
          message: 'The configuration is restored',
          md5: SAMPLE.before.digest,
          commitSHA: '10b0bd9c70418e8e31dcf96649947ad2ca0bd92a',
        },
      },
      handle: async (c, context) => {
        assertMayRestore(context.configuration, c.env.principal)
        const ifMatch = c.req.header('if-match')?.trim() ?? ''
        const request = {
          commit: await commitNamed(context.configuration, ['commit', c.req.param('commit')]),
          reason: await readReason(c.req.raw),
          basedOn:
            ifMatch === '' ? null : await parseIfMatch(ifMatch, context.configuration.history),
        }
        const { configuration } = context
        return saveOrPropose(
          c,
          context,
          () => restored(context, c, request),
          async () => {
            const restoring = await readRestored(configuration, c.env.principal, request.commit)
            const { document, subject } = restoring
            const { basedOn: base, reason: message } = request
            return { content: { document }, base, message, summary: subject }
          },
        )
      },
    }),
  ],
})

async function restored(
  { configuration, site }: ApiContext,
  c: Context<RouteEnv>,
  request: RestoreRequest,
): Promise<Response> {
  try {
    const { revision, isNew, setAside } = await restoreRevision(
      configuration,
      c.env.principal,
      request,
    )
    const message = isNew ? 'The configuration is restored' : 'The configuration is that already'
    const saved = savedBody(message, setAside)
    const body = { ...saved, md5: revision.digest, commitSHA: revision.commit }
    return json(body, 200, digestHeaders(revision.digest, site.clientNames))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'config-invalid') throw error
    c.env.reason = error.code
    return json(renderError(error), 409)
  }
}

/**
 * The `message` or `reason` of a JSON body or of a form, else that of the header.
 *
 * @throws {ServiceError} `malformed-request`.
 */
async function readReason(request: Request): Promise<string> {
  const fields = await readFields(request, MAX_BODY_BYTES, RestoreFields)
  return checkedMessage(textField(fields, 'reason') ?? '', 'reason') || messageOf(request, fields)
}
