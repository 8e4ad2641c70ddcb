import { z } from 'zod'
import { tagRevision, untagRevision } from '../../configuration/read/revision-tags.ts'
import { json } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import { readFields, textField } from '../../http/request-body.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { fieldsBody, jsonAnswer } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { acknowledgeSecrets } from '../../configuration/read/plain-secret-alarm.ts'
import { commitNamed } from './named-commit.ts'

const MAX_BODY_BYTES = 4_096

const TagFields = z.strictObject({ name: z.string().optional() })
const route = routeWith<LeaderContext>('Configuration')

/** `/api/config/revisions/[commit]/tags…`: names for revisions, as tags of git. */
export const tagResource = leaderResource({
  open: (context: LeaderContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/config/revisions/:commit/tags',
      summary: 'Tags a revision: the name then stands for it wherever a revision is named',
      caller: 'administrator',
      audit: 'tag-revision',
      body: fieldsBody(TagFields),
      answers: { 201: jsonAnswer('Tagged', MessageBody) },
      errors: [
        'malformed-request',
        'body-too-large',
        'revision-not-found',
        'name-in-use',
        'unavailable',
      ],
      example: { body: { name: 'v1.0' }, answer: { message: 'The revision is tagged v1.0' } },
      handle: async (c, { configuration }) => {
        const fields = await readFields(c.req.raw, MAX_BODY_BYTES, TagFields)
        const name = textField(fields, 'name')
        if (name === null) throw malformed('The field name is missing', 'name')
        const revision = c.req.param('commit')
        await tagRevision(configuration, c.env.principal, { revision, name })
        return json({ message: `The revision is tagged ${name}` }, 201)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/config/revisions/:commit/tags/:name{.+}',
      summary: 'Removes a tag of a revision',
      caller: 'administrator',
      audit: 'untag-revision',
      parameters: {
        name: { text: 'The name of the tag', schema: z.string().min(1), example: 'v1.0' },
      },
      answers: { 200: jsonAnswer('Removed', MessageBody) },
      errors: ['revision-not-found', 'tag-not-found', 'unavailable'],
      example: { answer: { message: 'The tag v1.0 is removed' } },
      handle: async (c, { configuration }) => {
        const { commit: revision, name } = c.req.param()
        await untagRevision(configuration, c.env.principal, { revision, name })
        return json({ message: `The tag ${name} is removed` })
      },
    }),
  ],
})

/** `POST /api/config/revisions/[commit]/acknowledge-secrets`: somebody has changed these secrets. */
export const plainSecretResource = leaderResource({
  open: (context: LeaderContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/config/revisions/:commit/acknowledge-secrets',
      summary: 'Acknowledges the plain-text secrets up to a commit',
      caller: 'administrator',
      audit: 'acknowledge-secrets',
      answers: { 200: jsonAnswer('Acknowledged', MessageBody) },
      errors: ['malformed-request', 'revision-not-found'],
      example: { answer: { message: 'The secrets of a commit are acknowledged' } },
      handle: async (c, { configuration }) => {
        const commit = await commitNamed(configuration, ['commit', c.req.param('commit')])
        const count = await acknowledgeSecrets(configuration, c.env.principal, commit)
        const commits = count === 1 ? 'a commit' : `${count} commits`
        return json({ message: `The secrets of ${commits} are acknowledged` })
      },
    }),
  ],
})
