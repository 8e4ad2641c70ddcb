import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import type { Context } from 'hono'
import { COMPRESSIBLE_CONTENT_TYPE_REGEX as COMPRESSIBLE } from 'hono/utils/compress'
import { getMimeType } from 'hono/utils/mime'
import { z } from 'zod'
import { CONSOLE_PATH } from '../../builds/artifacts/artifact-path.ts'
import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import type { FolderEntry } from '../../builds/artifacts/listing.ts'
import { assertAgent, type FileCaller, openConsole, openDownload } from '../../builds/runs/files.ts'
import { webStreamOf } from '../../lib/web-stream.ts'
import { agentPaths } from '../../wire/agent/paths.ts'
import { FolderEntryBody } from '../../wire/job-body.ts'
import { hasAgentToken, tokenOf } from '../agents/agent-token.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { encodingFor, isKnown } from '../../http/cached-response.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { encoderOf } from '../../http/streamed-response.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { NOT_MODIFIED } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

type Builds = LeaderContext['builds']

const JOB = '/files/:pipeline/:pipelineCounter/:stage/:stageCounter/:job'
const TEXT = 'text/plain; charset=utf-8'

/** Files of a build must not act as this service in a browser: they get an origin of their own. */
const UNTRUSTED = {
  'content-security-policy': 'sandbox allow-scripts allow-popups',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
}

const fileRoute = {
  method: 'GET',
  summary: 'A file of a job, its console, or the content of a folder',
  caller: 'viewerOrAgent',
  query: {
    startLineNumber: {
      text: 'Of a console: the line to begin with, from 0',
      schema: z.int().min(0),
    },
  },
  answers: {
    200: {
      text: 'The bytes of a file; the entries of a folder as JSON; all of it with .zip after its name',
      content: [
        { type: 'application/json', schema: z.array(FolderEntryBody) },
        { type: '*/*', schema: null },
      ],
      headers: {
        ETag: 'Identifies the content',
        'X-Next-Line': 'Of a console: the line to go on with',
      },
    },
    206: { text: 'The part of a file that a Range header asks for' },
    304: NOT_MODIFIED,
    416: { text: 'The file ends before the part that is asked for' },
  },
  errors: ['malformed-request', 'file-not-found'],
} as const

const route = routeWith<Builds>('Files')

/** `/files/…`: consoles and artifacts, to those who may view the pipeline and to the agent whose job fetches them. */
export const fileResource = leaderResource({
  conditional: true,
  open: ({ builds }: LeaderContext) => builds,
  routes: [
    route({
      ...fileRoute,
      path: JOB,
      example: {
        answer: [
          { type: 'folder', name: 'cruise-output', url: `/files/${SAMPLE.locator}/cruise-output` },
        ],
      },
      handle: (c, builds) => read(builds, c, ''),
    }),
    route({
      ...fileRoute,
      path: `${JOB}/:path{[\\s\\S]+}`,
      example: { query: { startLineNumber: '0' }, answer: 'hello\n' },
      handle: (c, builds) => read(builds, c, c.req.param('path')),
    }),
  ],
})

async function read(builds: Builds, c: Context<RouteEnv>, path: string): Promise<Response> {
  const call = { caller: callerOf(builds, c), job: placeOf(c), path }
  const line = c.req.query('startLineNumber')
  if (path === CONSOLE_PATH && line !== undefined) {
    const part = await openConsole(builds, call, parseWholeNumber(line, 'startLineNumber'))
    const headers = { ...UNTRUSTED, 'content-type': TEXT, 'x-next-line': `${part.nextLine}` }
    return stream(c, part.handle, { ...part, headers })
  }
  const found = await openDownload(builds, call)
  if (found.type === 'file') return serve(c, found)
  if (found.type === 'archive') return sendArchive(c, found)
  return json(found.entries.map((entry) => renderEntry(entry, found, c.env.basePath)))
}

function callerOf(builds: Builds, c: Context<RouteEnv>): FileCaller {
  if (!hasAgentToken(c.req.raw)) return { principal: c.env.principal }
  const caller = { token: tokenOf(c) }
  c.env.credential = { assertGood: async () => assertAgent(builds, caller) }
  return caller
}

function placeOf(c: Context<RouteEnv>): JobPlace {
  const counter = (name: string) => parseWholeNumber(c.req.param(name) ?? '', name)
  return {
    pipelineName: c.req.param('pipeline') ?? '',
    pipelineCounter: counter('pipelineCounter'),
    stageName: c.req.param('stage') ?? '',
    stageCounter: counter('stageCounter'),
    jobName: c.req.param('job') ?? '',
  }
}

async function serve(
  c: Context<RouteEnv>,
  { handle, name }: { readonly handle: FileHandle; readonly name: string },
): Promise<Response> {
  const { size, mtimeMs } = await handle.stat()
  const etag = `"${size}-${Math.round(mtimeMs)}"`
  if (isKnown(c.req.header('if-none-match'), etag)) {
    await handle.close()
    return new Response(null, { status: 304, headers: { etag } })
  }
  const type = /\.log$/i.test(name) ? TEXT : (getMimeType(name) ?? 'application/octet-stream')
  const headers = { ...UNTRUSTED, 'content-type': type, etag, 'accept-ranges': 'bytes' }
  const isOther = (c.req.header('if-range') ?? etag) !== etag
  const range = isOther ? null : parseRange(c.req.header('range'), size)
  if (range === null) return stream(c, handle, { from: 0, to: size, headers })
  if (range === 'unsatisfiable') {
    await handle.close()
    const ranged = { ...headers, 'content-range': `bytes */${size}` }
    return json({ message: `The file has ${size} bytes` }, 416, ranged)
  }
  const ranged = { ...headers, 'content-range': `bytes ${range.from}-${range.to - 1}/${size}` }
  return stream(c, handle, { ...range, headers: ranged, status: 206 })
}

async function sendArchive(
  c: Context<RouteEnv>,
  { name, open }: { readonly name: string; readonly open: () => Promise<Readable> },
): Promise<Response> {
  const headers = {
    ...UNTRUSTED,
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
  }
  if (c.req.raw.method === 'HEAD') return new Response(null, { headers })
  return new Response(webStreamOf(await open()), { headers })
}

interface FilePart {
  readonly from: number
  readonly to: number
  readonly headers: Readonly<Record<string, string>>
  readonly status?: 200 | 206
}

/**
 * Sends part of a file and closes it, in the encoding that the caller takes where that makes it smaller. It may
 * grow meanwhile: what was announced is what is sent.
 */
async function stream(c: Context<RouteEnv>, handle: FileHandle, part: FilePart): Promise<Response> {
  const { from, to, status = 200 } = part
  const isEncodable = status === 200 && COMPRESSIBLE.test(part.headers['content-type'] ?? '')
  const encoding = isEncodable
    ? encodingFor(to - from, c.req.header('accept-encoding'))
    : 'identity'
  const isPlain = encoding === 'identity'
  const headers = {
    ...part.headers,
    ...(isEncodable ? { vary: 'accept-encoding' } : {}),
    ...(isPlain ? { 'content-length': `${to - from}` } : encoded(part.headers, encoding)),
  }
  if (to === from || c.req.raw.method === 'HEAD') {
    await handle.close()
    return new Response(null, { status, headers })
  }
  const bytes = handle.createReadStream({ start: from, end: to - 1 })
  // Where the one fails or is no longer wanted, the other is closed.
  const body = isPlain ? bytes : pipeline(bytes, encoderOf(encoding), () => {})
  return new Response(webStreamOf(body), { status, headers })
}

/**
 * The headers that differ for an encoded file: its byte ranges are not those of the file, so its
 * tag is weak.
 */
function encoded({ etag }: FilePart['headers'], encoding: string): Record<string, string> {
  const weak = etag === undefined ? {} : { etag: `W/${etag}`, 'accept-ranges': 'none' }
  return { 'content-encoding': encoding, ...weak }
}

function renderEntry(
  entry: FolderEntry,
  { job, path }: { readonly job: JobPlace; readonly path: string },
  basePath: string,
): FolderEntryBody {
  const below = path === '' ? entry.name : `${path}/${entry.name}`
  const place = { ...job, stageCounter: String(job.stageCounter) }
  return { ...entry, url: `${basePath}${agentPaths.file(place, below)}` }
}

/** Part of a file: from the first byte to before the last. */
interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * The part that a `Range` header asks for. Null for the whole: also where several parts are asked
 * for, or another unit.
 */
function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') return within(size - Math.min(Number(last), size), size, size)
  if (last !== '' && Number(last) < Number(first)) return null
  return within(Number(first), last === '' ? size : Math.min(Number(last) + 1, size), size)
}

function within(from: number, to: number, size: number): ByteRange | 'unsatisfiable' {
  return from < to && from < size ? { from, to } : 'unsatisfiable'
}
