import { z } from 'zod'
import { acknowledgeOverride } from '../../configuration/gate/override-alarm.ts'
import { replayRules } from '../../configuration/gate/replay/replay-rules.ts'
import { readRulesFile, saveRules } from '../../configuration/gate/save-rules.ts'
import { rulesJsonSchema } from '../../configuration/gate/rules/rules-schema.ts'
import { MAX_RULES_BYTES } from '../../configuration/gate/rules/read-rules.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { RulesReplayBody } from '../../wire/rules-body.ts'
import { messageOf } from '../../http/change-message.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { readBody } from '../../http/request-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { editBaseOf } from './digest-header.ts'
import { renderListed } from './listed-revision.ts'
import { commitNamed } from './named-commit.ts'
import {
  CACHE_HEADERS,
  jsonAnswer,
  MESSAGE_HEADER,
  NOT_MODIFIED,
  reads,
} from '../definition/operation.ts'
import { QUIET } from '../definition/route-rules.ts'
import { resource, routeWith } from '../definition/route.ts'

const route = routeWith<ApiContext>('Configuration')
const PATH = '/api/admin/rules.yaml'
const YAML = 'application/yaml'
/** Changes that a replay tells one by one, unless the caller asks for another number. */
const REPLAYED = 100
const MAX_REPLAYED = 1_000
const REPLAY: RulesReplayBody = {
  from: 1,
  to: 2,
  complete: true,
  changes: 1,
  heldUp: 0,
  read: 0,
  skipped: 0,
  rules: [{ name: 'pushes', heldUp: 0, warned: 0, assumed: ['door'] }],
  authors: [],
  revisions: [],
}
const EXAMPLE = `version: 1
rules:
  - name: pushes
    match: { door: push }
    effect: warn
`

/** The rules of the gate: the file, and the schema of it. */
export const rulesResource = resource({
  conditional: true,
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'GET',
      path: PATH,
      summary: 'The rules about changes: the file, byte for byte',
      caller: 'administrator',
      answers: {
        200: { text: 'The file', content: [{ type: YAML, schema: null }], headers: CACHE_HEADERS },
        304: NOT_MODIFIED,
      },
      errors: ['file-not-found'],
      example: {},
      handle: async (c, { configuration }) => {
        const { bytes, version } = await readRulesFile(configuration, c.env.principal)
        const type = `${YAML}; charset=utf-8`
        return new CachedResponse(bytes, { type, etag: version, immutable: false }).answer(c)
      },
    }),
    route({
      method: 'PUT',
      path: PATH,
      summary: 'Saves the rules, as a commit of their own that the rules before it judge',
      caller: 'administrator',
      audit: 'save-rules',
      headers: {
        'If-Match': { text: 'The ETag that the edit is based on, or `*`', schema: z.string() },
        'If-None-Match': { text: '`*`: there are no rules yet', schema: z.literal('*') },
        ...MESSAGE_HEADER,
      },
      body: { required: true, content: [{ type: YAML, schema: null }] },
      answers: { 200: jsonAnswer('Saved', MessageBody, { ETag: 'The new version' }) },
      errors: [
        'malformed-request',
        'base-missing',
        'body-too-large',
        'config-invalid',
        'config-stale',
      ],
      example: {
        headers: { 'If-None-Match': '*' },
        body: EXAMPLE,
        answer: { message: 'The rules are saved' },
      },
      handle: async (c, { configuration }) => {
        const basedOn = editBaseOf(c, 'file')
        const message = messageOf(c.req.raw)
        const bytes = await readBody(c.req.raw, MAX_RULES_BYTES)
        const request = { bytes, basedOn, message }
        const { version } = await saveRules(configuration, c.env.principal, request)
        return json({ message: 'The rules are saved' }, 200, { etag: `"${version}"` })
      },
    }),
    route({
      method: 'POST',
      path: '/api/admin/rules/replay',
      summary: 'Which past changes a file of rules would have held up; nothing is saved',
      caller: 'administrator',
      audit: QUIET,
      scope: 'read',
      needs: 'leader',
      query: {
        since: {
          text: 'Only changes after this revision: a number, commit, digest, tag or time',
          schema: z.string(),
        },
        limit: {
          text: `How many changes are told one by one, the newest first: ${REPLAYED} if absent, at most ${MAX_REPLAYED}`,
          schema: z.int().min(0).max(MAX_REPLAYED),
        },
      },
      body: { required: true, content: [{ type: YAML, schema: null }] },
      answers: { 200: jsonAnswer('The changes that would have been held up', RulesReplayBody) },
      errors: ['malformed-request', 'body-too-large', 'config-invalid', 'revision-not-found'],
      example: { body: EXAMPLE, answer: REPLAY },
      handle: async (c, { configuration, site }) => {
        const { since, limit } = c.req.query()
        const bytes = await readBody(c.req.raw, MAX_RULES_BYTES)
        const shown = limit === undefined ? REPLAYED : parseWholeNumber(limit, 'limit')
        const replay = await replayRules(configuration, c.env.principal, {
          bytes,
          since: since === undefined ? null : await commitNamed(configuration, ['since', since]),
          limit: Math.min(shown, MAX_REPLAYED),
        })
        const { isWhole, revisions, ...counts } = replay
        return json({
          ...counts,
          complete: isWhole,
          revisions: revisions.map(({ revision, objections }) => ({
            ...renderListed(configuration.history, revision, site.clientNames),
            objections: objections.map(({ rule, sentence }) => ({ rule, reason: sentence })),
          })),
        } satisfies RulesReplayBody)
      },
    }),
    route({
      method: 'GET',
      path: '/api/config/rules-schema.json',
      summary: 'The JSON schema of the rules, for editors',
      caller: 'user',
      answers: reads('The schema', z.looseObject({})),
      example: { answer: { type: 'object', required: ['version', 'rules'] } },
      handle: () => json(rulesJsonSchema()),
    }),
    route({
      method: 'POST',
      path: '/api/config/revisions/:commit/acknowledge-override',
      summary: 'Acknowledges that a commit overrode rules; its author cannot',
      caller: 'administrator',
      audit: 'acknowledge-override',
      answers: { 200: jsonAnswer('Acknowledged', MessageBody) },
      errors: ['malformed-request', 'revision-not-found'],
      example: { answer: { message: 'The override is acknowledged' } },
      handle: async (c, { configuration }) => {
        const commit = await commitNamed(configuration, ['commit', c.req.param('commit')])
        await acknowledgeOverride(configuration, c.env.principal, commit)
        return json({ message: 'The override is acknowledged' })
      },
    }),
  ],
})
