import { acknowledgeSecrets } from '../../configuration/read/plain-secret-alarm.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { json } from '../../http/errors.ts'
import { commitNamed } from './named-commit.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { jsonAnswer } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'

const route = routeWith<LeaderContext>()

/** `POST /api/config/revisions/[commit]/acknowledge-secrets`: somebody has changed these secrets. */
export const plainSecretResource = leaderResource({
  open: (context: LeaderContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/config/revisions/:commit/acknowledge-secrets',
      tag: 'Configuration',
      summary: 'Acknowledges the plain-text secrets up to a commit',
      caller: 'administrator',
      audit: 'acknowledge-secrets',
      answers: { 200: jsonAnswer('Acknowledged', MessageBody) },
      errors: ['malformed-request', 'revision-not-found'],
      example: { answer: { message: 'The secrets of a commit are acknowledged' } },
      handle: async (c, { configuration }) => {
        const commit = await commitNamed(configuration, c.req.param('commit'))
        const count = await acknowledgeSecrets(configuration, c.env.principal, commit)
        const commits = count === 1 ? 'a commit' : `${count} commits`
        return json({ message: `The secrets of ${commits} are acknowledged` })
      },
    }),
  ],
})
