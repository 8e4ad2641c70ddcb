import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
/** Bodies smaller than this are sent as they are, in bytes. */
const WORTH_COMPRESSING = 1_024

const IMMUTABLE = 'private, max-age=31536000, immutable'
const MUTABLE = 'private, no-cache'

type Encoding = 'identity' | 'gzip' | 'br'

/**
 * An answer kept as ready bytes with its compressed forms and ETag, so that a request for it is
 * a look-up and not a rendering. Each compressed form is made at its first use.
 */
export class ReadyBody {
  readonly etag: string
  readonly size: number
  readonly #headers: Record<string, string>
  readonly #forms = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>()
  readonly #ready = new Map<Encoding, Uint8Array<ArrayBuffer>>()

  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    options: { type: string; etag: string; immutable: boolean; headers?: Record<string, string> },
  ) {
    this.etag = `"${options.etag}"`
    this.size = bytes.length
    this.#ready.set('identity', bytes)
    this.#headers = {
      'content-type': options.type,
      etag: this.etag,
      'cache-control': options.immutable ? IMMUTABLE : MUTABLE,
      vary: 'accept-encoding',
      ...options.headers,
    }
  }

  /** The answer to this request: 304 when the caller has these bytes, else the best form it takes. */
  answer(request: Request): Response | Promise<Response> {
    if (isKnown(request.headers.get('if-none-match'), this.etag)) {
      return new Response(null, { status: 304, headers: this.#headers })
    }
    const encoding =
      this.size < WORTH_COMPRESSING ? 'identity' : bestOf(request.headers.get('accept-encoding'))
    const ready = this.#ready.get(encoding)
    return ready ? this.#respond(encoding, ready) : this.#compressed(encoding)
  }

  async #compressed(encoding: Encoding): Promise<Response> {
    const form = this.#forms.get(encoding) ?? this.#compress(encoding)
    this.#forms.set(encoding, form)
    const bytes = await form
    this.#ready.set(encoding, bytes)
    return this.#respond(encoding, bytes)
  }

  async #compress(encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
    const plain = this.#ready.get('identity') ?? new Uint8Array()
    return encoding === 'gzip' ? compressGzip(plain) : compressBrotli(plain, BROTLI)
  }

  #respond(encoding: Encoding, bytes: Uint8Array<ArrayBuffer>): Response {
    const headers =
      encoding === 'identity' ? this.#headers : { ...this.#headers, 'content-encoding': encoding }
    return new Response(bytes, { headers: { ...headers, 'content-length': String(bytes.length) } })
  }
}

/** Whether an `If-None-Match` header names the tag; weak and strong forms compare alike. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

function bestOf(header: string | null): Encoding {
  if (header === null || header === '') return 'identity'
  const taken = new Set(
    header
      .split(',')
      .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
      .map((item) => (item.split(';')[0] ?? '').trim().toLowerCase()),
  )
  if (taken.has('br')) return 'br'
  return taken.has('gzip') || taken.has('*') ? 'gzip' : 'identity'
}
