import type { Context } from 'hono'
import { z } from 'zod'
import {
  advertise,
  exchange,
  type GitAccessDeps,
  readRepositoryFile,
} from '../../configuration/access/git-access.ts'
import type { Revision } from '../../core/revision.ts'
import { webStreamOf } from '../../lib/web-stream.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { plainBody } from '../../http/content-coding.ts'
import { malformed } from '../../http/parameters.ts'
import type { ApiContext } from '../definition/api-context.ts'
import type { Answer } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { pageOfRevision } from '../../configuration/entities/read-revision-changes.ts'

const REPOSITORY = '/git/config.git'
const PROGRAMS = ['upload-pack', 'receive-pack'] as const
type Program = (typeof PROGRAMS)[number]
type Bytes = Uint8Array<ArrayBuffer>

const bytes: Answer = { text: 'As git asks for it', content: [{ type: '*/*', schema: null }] }

type GitRoutesDeps = ApiContext['configuration'] & Pick<ApiContext, 'site'>

const route = routeWith<GitRoutesDeps>('Git')

/** `/git/config.git`: the repository for clients of git, to clone, fetch and push. */
export const gitResource = resource({
  open: ({ configuration, site }: ApiContext) => ({ ...configuration, site }),
  routes: [
    route({
      method: 'GET',
      path: `${REPOSITORY}/info/refs`,
      summary:
        'The start of a clone, fetch or push by git; that of a push also for those who may view a group or a template',
      caller: 'administrator',
      query: {
        service: { text: '`git-upload-pack` or `git-receive-pack`', schema: z.string() },
      },
      answers: { 200: bytes },
      errors: ['malformed-request'],
      example: { answer: `${SAMPLE.commit}\trefs/heads/main\n` },
      handle: (c, deps) => answerRefs(deps, c),
    }),
    route({
      method: 'GET',
      path: `${REPOSITORY}/HEAD`,
      summary: 'The served branch',
      caller: 'administrator',
      answers: { 200: bytes },
      example: { answer: 'ref: refs/heads/main\n' },
      handle: (c, deps) => answerFile(deps, c, 'HEAD'),
    }),
    route({
      method: 'GET',
      path: `${REPOSITORY}/objects/:object{.+}`,
      summary: 'An object or a pack, for clients of the dumb protocol',
      caller: 'administrator',
      parameters: {
        object: { text: 'As in the repository', schema: z.string().min(1), example: 'info/packs' },
      },
      answers: { 200: bytes },
      errors: ['file-not-found'],
      example: { answer: 'P pack-2a8e49dba6feaada81d155387caff7f4e3149c21.pack\n\n' },
      handle: (c, deps) => answerFile(deps, c, `objects/${c.req.param('object')}`),
    }),
    exchangeRoute('upload-pack', 'A clone or a fetch by git'),
    exchangeRoute(
      'receive-pack',
      'A push by git; the branch only moves forward, to valid configurations. By those who administer groups or templates, each commit changes only these. A push to refs/for/ and the branch is a proposal, by those who may view what it touches',
    ),
  ],
})

/** The request and answer of a git program. */
function exchangeRoute(program: Program, summary: string) {
  return route({
    method: 'POST',
    path: `${REPOSITORY}/git-${program}`,
    summary,
    caller: program === 'upload-pack' ? 'administrator' : 'viewer',
    scope: program === 'upload-pack' ? 'read' : 'propose',
    audit: program === 'upload-pack' ? 'fetch-configuration' : 'push-configuration',
    body: {
      required: true,
      content: [{ type: `application/x-git-${program}-request`, schema: null }],
    },
    answers: { 200: bytes },
    errors: ['malformed-request'],
    // The packet that ends a conversation: all that can be read of one.
    example: { body: '0000' },
    handle: (c, deps) => answerExchange(deps, c, program),
  })
}

async function answerRefs(deps: GitAccessDeps, c: Context<RouteEnv>): Promise<Response> {
  const service = c.req.query('service')
  const program = PROGRAMS.find((each) => `git-${each}` === service)
  if (service !== undefined && program === undefined) {
    throw malformed(`${service} is not a service of git`, 'service')
  }
  if (program === undefined) return answerFile(deps, c, 'info/refs')
  const call = { program, protocol: protocolOf(c) }
  const refs = await advertise(deps, c.env.principal, call)
  if (refs === null) return answerFile(deps, c, 'info/refs')
  const headers = { 'content-type': `application/x-git-${program}-advertisement` }
  return new Response(startsPlainly(call) ? refs : announced(program, refs), { headers })
}

/** In the second version of the protocol, which is there for reading alone, nothing is announced. */
function startsPlainly({ program, protocol }: { program: Program; protocol: string | null }) {
  return program === 'upload-pack' && /(^|:)version=2(:|$)/.test(protocol ?? '')
}

/** A client that goes away ends git, also while that says nothing: no iterator waits for a chunk in between. */
function announced(program: Program, refs: ReadableStream<Bytes>): ReadableStream<Bytes> {
  const line = `# service=git-${program}\n`
  const length = (line.length + 4).toString(16).padStart(4, '0')
  const head = new TransformStream<Bytes, Bytes>({
    start: (controller) => controller.enqueue(Buffer.from(`${length}${line}0000`)),
  })
  return refs.pipeThrough(head)
}

async function answerExchange(
  deps: GitRoutesDeps,
  c: Context<RouteEnv>,
  program: Program,
): Promise<Response> {
  const type = `application/x-git-${program}-request`
  if (c.req.header('content-type') !== type) throw malformed(`The body is not ${type}`, 'body')
  const decide = () => c.env.decide()
  const { principal } = c.env
  const pageOf = (revision: Revision) => pageOfRevision(deps, principal, revision)
  const { publicUrl, basePath } = deps.site
  const { origin } = new URL(publicUrl ?? c.req.url)
  const body = plainBody(c.req.raw)
  const answer = await exchange(deps, principal, {
    program,
    protocol: protocolOf(c),
    body,
    decide,
    pageOf,
    addressOf: (path) => `${origin}${basePath}${path}`,
  })
  const headers = { 'content-type': `application/x-git-${program}-result` }
  return new Response(answer, { headers })
}

/** The versions of git's protocol that the client speaks, for a variable of a process. */
function protocolOf(c: Context<RouteEnv>): string | null {
  const protocol = c.req.header('git-protocol') ?? null
  return protocol !== null && /^[\w=.:-]{1,200}$/.test(protocol) ? protocol : null
}

async function answerFile(
  deps: GitAccessDeps,
  c: Context<RouteEnv>,
  path: string,
): Promise<Response> {
  const file = await readRepositoryFile(deps, c.env.principal, path)
  if (file.kind === 'text') {
    return new Response(file.text, { headers: { 'content-type': 'text/plain' } })
  }
  const { size } = await file.handle.stat()
  const headers = { 'content-type': file.type, 'content-length': `${size}` }
  if (c.req.method === 'HEAD') {
    await file.handle.close()
    return new Response(null, { headers })
  }
  return new Response(webStreamOf(file.handle.createReadStream()), { headers })
}
