import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import type { RouteEnv } from './request-context.ts'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
/** Bodies smaller than this are sent as they are, in bytes. */
const WORTH_COMPRESSING = 1_024

const IMMUTABLE = 'private, max-age=31536000, immutable'
const MUTABLE = 'private, no-cache'

export type Encoding = 'identity' | 'gzip' | 'br'
type Bytes = Uint8Array<ArrayBuffer>
type Headers = Readonly<Record<string, string>>

/** The bytes for clients that accept one encoding. */
interface Variant {
  readonly headers: Headers
  readonly bytes: Bytes
}

export interface CachedResponseOptions {
  readonly type: string
  readonly etag: string
  /** Whether the address stands for these bytes for ever. */
  readonly immutable: boolean
  readonly headers?: Headers
}

/**
 * A response cached as bytes with its ETag and compressed forms, so that a request costs a look-up
 * and no rendering. Each compressed form is made at its first use.
 */
export class CachedResponse {
  readonly etag: string
  readonly size: number
  /** Its bytes without an encoding. */
  readonly plain: Bytes
  readonly #options: CachedResponseOptions
  readonly #headers: Headers
  readonly #variants = new Map<Encoding, Variant | Promise<Variant>>()

  constructor(bytes: Bytes, options: CachedResponseOptions) {
    this.etag = `"${options.etag}"`
    this.size = bytes.length
    this.plain = bytes
    this.#options = options
    this.#headers = headersOf(options)
    this.#keep('identity', bytes)
  }

  /** The answer to this request: 304 when the caller has these bytes, else the best form it takes. */
  answer({ req }: Context<RouteEnv>): Response | Promise<Response> {
    if (isKnown(req.header('if-none-match'), this.etag)) {
      return new Response(null, { status: 304, headers: this.#headers })
    }
    const encoding = encodingFor(this.size, req.header('accept-encoding'))
    const variant = this.#variants.get(encoding) ?? this.#compressed(encoding)
    return variant instanceof Promise ? variant.then(respond) : respond(variant)
  }

  /** The same at an address that may come to stand for other bytes. */
  asMutable(): CachedResponse {
    return new CachedResponse(this.plain, { ...this.#options, immutable: false })
  }

  #compressed(encoding: Encoding): Promise<Variant> {
    const making = this.#compress(encoding)
    this.#variants.set(encoding, making)
    return making
  }

  async #compress(encoding: Encoding): Promise<Variant> {
    const compress =
      encoding === 'gzip' ? compressGzip(this.plain) : compressBrotli(this.plain, BROTLI)
    // A copy, because what zlib returns is a part of 16 KB, however small it is.
    return this.#keep(encoding, new Uint8Array(await compress))
  }

  #keep(encoding: Encoding, bytes: Bytes): Variant {
    const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding }
    const headers = { ...this.#headers, ...encoded, 'content-length': String(bytes.length) }
    const variant = { headers, bytes }
    this.#variants.set(encoding, variant)
    return variant
  }
}

function respond({ headers, bytes }: Variant): Response {
  return new Response(bytes, { headers })
}

/** The headers of an answer, but for its encoding and length. */
export function headersOf({ type, etag, immutable, headers }: CachedResponseOptions): Headers {
  return {
    'content-type': type,
    etag: `"${etag}"`,
    'cache-control': immutable ? IMMUTABLE : MUTABLE,
    vary: 'accept-encoding',
    ...headers,
  }
}

/** The encoding for a body of this size. */
export function encodingFor(size: number, accepted = ''): Encoding {
  return size < WORTH_COMPRESSING ? 'identity' : bestOf(accepted)
}

/** Answers at once when the response is there, and otherwise when it is ready. */
export function answerWith(
  body: CachedResponse | Promise<CachedResponse>,
  c: Context<RouteEnv>,
): Response | Promise<Response> {
  if (body instanceof CachedResponse) return body.answer(c)
  return body.then((made) => made.answer(c))
}

/** Whether an `If-None-Match` header names the tag; weak, strong and compressed forms compare alike. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => ['*', etag].includes(plainTag(tag)))
}

function bestOf(header: string): Encoding {
  if (header === '') return 'identity'
  const taken = new Set(
    header
      .split(',')
      .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
      .map((item) => (item.split(';')[0] ?? '').trim().toLowerCase()),
  )
  if (taken.has('br')) return 'br'
  return taken.has('gzip') || taken.has('*') ? 'gzip' : 'identity'
}

/** The end of a tag that a proxy has given to an answer which it has compressed. */
const CODED = /(?:--?|[;+])(?:gzip|br|deflate|zstd)(?="?$)/i

/** A tag as this service has given it: strong, and of the bytes before any proxy compressed them. */
export function plainTag(tag: string): string {
  return tag.trim().replace(/^W\//, '').replace(CODED, '')
}
