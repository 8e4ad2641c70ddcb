import { z } from 'zod'
import { parseJson, readBody } from '../../http/request-body.ts'
import type { ServedContext } from '../definition/api-context.ts'
import { jsonAnswer, jsonBody } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

const Message = z.looseObject({})
const route = routeWith<ServedContext>('Service')

/** `/mcp`: the tools of an assistant, by the Model Context Protocol. */
export const mcpResource = resource({
  open: (context: ServedContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/mcp',
      summary:
        'A message of the Model Context Protocol (streamable HTTP): tools that read, and propose',
      caller: 'user',
      scope: 'read',
      audit: 'use-tools',
      needs: 'leader-if-reachable',
      body: jsonBody(Message),
      answers: {
        200: {
          text: 'The answer, as JSON or as one event',
          content: [
            { type: 'application/json', schema: Message },
            { type: 'text/event-stream', schema: null },
          ],
        },
        202: { text: 'The notification is accepted' },
        400: jsonAnswer('Not a message of the protocol', Message),
      },
      errors: ['malformed-request', 'body-too-large'],
      example: {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
        answer: { jsonrpc: '2.0', id: 1, result: { tools: [] } },
      },
      handle: async (c, { answerMcp, site }) => {
        const body = await readBody(c.req.raw, site.maxBody)
        return answerMcp(c.req.raw, parseJson(Buffer.from(body).toString('utf8')), c.env)
      },
    }),
  ],
})
