import { PassThrough, type Transform } from 'node:stream'
import { type BrotliCompress, createBrotliCompress, createGzip, type Gzip } from 'node:zlib'
import type { Context } from 'hono'
import {
  BROTLI,
  type CachedResponse,
  type CachedResponseOptions,
  type Encoding,
  encodingFor,
  headersOf,
} from './cached-response.ts'
import { webStreamOf } from '../lib/web-stream.ts'
import type { RouteEnv } from './request-context.ts'

export interface StreamedResponseOptions {
  readonly beginning: Uint8Array
  /** The whole answer, which begins with that. */
  readonly whole: CachedResponse | Promise<CachedResponse>
  readonly options: CachedResponseOptions
}

/**
 * An answer whose beginning is sent before the whole is ready. It has all headers of a whole answer
 * but its length.
 */
export function streamedResponse(
  { req }: Context<RouteEnv>,
  { beginning, whole, options }: StreamedResponseOptions,
): Response {
  const encoding = encodingFor(beginning.length, req.header('accept-encoding'))
  const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding }
  const body = encoderOf(encoding)
  body.write(beginning)
  if ('flush' in body) body.flush()
  Promise.resolve(whole).then(
    ({ plain }) => {
      if (!body.destroyed) body.end(plain.subarray(beginning.length))
    },
    (cause: unknown) => body.destroy(new Error('The answer could not be completed', { cause })),
  )
  const headers = { ...headersOf(options), ...encoded }
  return new Response(webStreamOf(body), { headers })
}

/** A stream that encodes its input. */
export function encoderOf(encoding: Encoding): Transform | (Transform & (Gzip | BrotliCompress)) {
  if (encoding === 'identity') return new PassThrough()
  return encoding === 'gzip' ? createGzip() : createBrotliCompress(BROTLI)
}
