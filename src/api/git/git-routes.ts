import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Context, Hono } from 'hono'
import {
  advertise,
  exchange,
  type GitAccessDeps,
  readRepositoryFile,
} from '../../configuration/access/git-access.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed } from '../../http/parameters.ts'

export type GitRoutesOptions = GitAccessDeps

const REPOSITORY = '/git/config.git'
const PROGRAMS = ['upload-pack', 'receive-pack'] as const
type Program = (typeof PROGRAMS)[number]

const UNCACHED = { 'cache-control': 'no-cache, max-age=0, must-revalidate' }

/** `/git/config.git`: the repository for clients of git, to clone, fetch and push. */
export function gitRoutes(deps: GitRoutesOptions) {
  const file = (c: Context<RouteEnv>, path: string) => answerFile(deps, c, path)
  const app = new Hono<RouteEnv>()
    .get(`${REPOSITORY}/info/refs`, (c) => answerRefs(deps, c))
    .get(`${REPOSITORY}/HEAD`, (c) => file(c, 'HEAD'))
    .get(`${REPOSITORY}/objects/:object{.+}`, (c) => file(c, `objects/${c.req.param('object')}`))
  for (const program of PROGRAMS) {
    app.post(`${REPOSITORY}/git-${program}`, (c) => answerExchange(deps, c, program))
  }
  return app
}

async function answerRefs(deps: GitRoutesOptions, c: Context<RouteEnv>): Promise<Response> {
  const service = c.req.query('service')
  const program = PROGRAMS.find((each) => `git-${each}` === service)
  if (service !== undefined && program === undefined) {
    throw malformed(`${service} is no service of git`, 'service')
  }
  if (program === undefined) return answerFile(deps, c, 'info/refs')
  const call = { program, protocol: protocolOf(c) }
  const refs = advertise(deps, c.env.principal, call)
  if (refs === null) return answerFile(deps, c, 'info/refs')
  const headers = { ...UNCACHED, 'content-type': `application/x-git-${program}-advertisement` }
  return new Response(startsPlainly(call) ? refs : announced(program, refs), { headers })
}

/** In the second version of the protocol, which is there for reading alone, nothing is announced. */
function startsPlainly({ program, protocol }: { program: Program; protocol: string | null }) {
  return program === 'upload-pack' && /(^|:)version=2(:|$)/.test(protocol ?? '')
}

function announced(program: Program, refs: AsyncIterable<Uint8Array>) {
  const line = `# service=git-${program}\n`
  const length = (line.length + 4).toString(16).padStart(4, '0')
  const head = Buffer.from(`${length}${line}0000`)
  return Readable.toWeb(
    Readable.from(
      (async function* () {
        yield head
        yield* refs
      })(),
    ),
  )
}

async function answerExchange(
  deps: GitRoutesOptions,
  c: Context<RouteEnv>,
  program: Program,
): Promise<Response> {
  const type = `application/x-git-${program}-request`
  if (c.req.header('content-type') !== type) throw malformed(`The body is not ${type}`, 'body')
  const request = { program, protocol: protocolOf(c), body: bodyOf(c) }
  const answer = exchange(deps, c.env.principal, request)
  const headers = { ...UNCACHED, 'content-type': `application/x-git-${program}-result` }
  return new Response(answer, { headers })
}

function bodyOf(c: Context<RouteEnv>): AsyncIterable<Uint8Array> {
  const encoding = c.req.header('content-encoding')?.toLowerCase() ?? 'identity'
  const body = c.req.raw.body ?? Readable.from([])
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw malformed(`${encoding} is not an encoding that is read here`, 'Content-Encoding')
  }
  return Readable.from(body).compose(createGunzip())
}

/** Which versions of git's protocol the client speaks. It becomes a variable of a process. */
function protocolOf(c: Context<RouteEnv>): string | null {
  const protocol = c.req.header('git-protocol') ?? null
  return protocol !== null && /^[\w=.:-]{1,200}$/.test(protocol) ? protocol : null
}

async function answerFile(
  deps: GitRoutesOptions,
  c: Context<RouteEnv>,
  path: string,
): Promise<Response> {
  const file = await readRepositoryFile(deps, c.env.principal, path)
  if (file.kind === 'text') {
    return new Response(file.text, { headers: { ...UNCACHED, 'content-type': 'text/plain' } })
  }
  const { size } = await file.handle.stat()
  const headers = { 'content-type': file.type, 'content-length': `${size}` }
  if (c.req.method === 'HEAD') {
    await file.handle.close()
    return new Response(null, { headers })
  }
  return new Response(Readable.toWeb(file.handle.createReadStream()), { headers })
}
