import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { INERT } from './inert.ts'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
/** Bodies smaller than this are sent as they are, in bytes. */
const WORTH_COMPRESSING = 1_024
/** With its headers such a body fits what Node writes without a buffer of its own. */
const SMALL = 12_288

const IMMUTABLE = 'private, max-age=31536000, immutable'
const MUTABLE = 'private, no-cache'

type Encoding = 'identity' | 'gzip' | 'br'
type Bytes = Uint8Array<ArrayBuffer>
type Headers = Readonly<Record<string, string>>

/** What is sent. */
export interface ReadyForm {
  readonly status: number
  readonly headers: Headers
  /** The headers as Node takes them most readily: names and values in turns. */
  readonly line: readonly string[]
  /** Null for an answer without a body. */
  readonly bytes: Bytes | null
  /** The bytes of a small body as latin1 text, which Node sends in one piece with the headers. */
  readonly text: string | null
  /** To be called when the bytes have gone out; null where nobody waits for that. */
  readonly whenSent: (() => void) | null
}

/** The headers of a request that decide about the form of its answer. */
interface Asked {
  readonly 'if-none-match'?: string | undefined
  readonly 'accept-encoding'?: string | undefined
}

export interface ReadyBodyOptions {
  readonly type: string
  readonly etag: string
  /** Whether the address stands for these bytes for ever. */
  readonly immutable: boolean
  readonly headers?: Headers
  /** Called when the bytes have gone out as they are. Only for an answer to one request. */
  readonly whenSent?: () => void
}

/**
 * An answer kept as ready bytes with its compressed forms and ETag, so that a request for it is
 * a look-up and not a rendering. Each compressed form is made at its first use.
 */
export class ReadyBody {
  readonly etag: string
  readonly size: number
  readonly #plain: Bytes
  readonly #headers: Headers
  #unchanged: ReadyForm | null = null
  readonly #making = new Map<Encoding, Promise<ReadyForm>>()
  readonly #forms = new Map<Encoding, ReadyForm>()

  constructor(bytes: Bytes, options: ReadyBodyOptions) {
    this.etag = `"${options.etag}"`
    this.size = bytes.length
    this.#plain = bytes
    this.#headers = {
      'content-type': options.type,
      etag: this.etag,
      'cache-control': options.immutable ? IMMUTABLE : MUTABLE,
      vary: 'accept-encoding',
      ...Object.fromEntries(INERT),
      ...options.headers,
    }
    this.#keep('identity', bytes, options.whenSent)
  }

  /** The answer to this request: 304 when the caller has these bytes, else the best form it takes. */
  answer({ headers }: Request): Response | Promise<Response> {
    const asked = {
      'if-none-match': headers.get('if-none-match') ?? undefined,
      'accept-encoding': headers.get('accept-encoding') ?? undefined,
    }
    const form = this.formFor(asked)
    return form instanceof Promise ? form.then(respond) : respond(form)
  }

  /** The same as it is sent; promised while the compressed form has still to be made. */
  formFor(asked: Asked): ReadyForm | Promise<ReadyForm> {
    if (isKnown(asked['if-none-match'], this.etag))
      return (this.#unchanged ??= formOf(304, this.#headers, null))
    const encoding = this.#encodingFor(asked)
    return this.#forms.get(encoding) ?? this.#compressed(encoding)
  }

  #encodingFor(asked: Asked): Encoding {
    return this.size < WORTH_COMPRESSING ? 'identity' : bestOf(asked['accept-encoding'] ?? '')
  }

  #compressed(encoding: Encoding): Promise<ReadyForm> {
    const making = this.#making.get(encoding) ?? this.#compress(encoding)
    this.#making.set(encoding, making)
    return making
  }

  async #compress(encoding: Encoding): Promise<ReadyForm> {
    const compress =
      encoding === 'gzip' ? compressGzip(this.#plain) : compressBrotli(this.#plain, BROTLI)
    return this.#keep(encoding, await compress)
  }

  #keep(encoding: Encoding, bytes: Bytes, whenSent: (() => void) | null = null): ReadyForm {
    const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding }
    const headers = { ...this.#headers, ...encoded, 'content-length': String(bytes.length) }
    const form = { ...formOf(200, headers, bytes), whenSent }
    this.#forms.set(encoding, form)
    return form
  }
}

function formOf(status: number, headers: Headers, bytes: Bytes | null): ReadyForm {
  const isSmall = bytes !== null && bytes.length <= SMALL
  const text = isSmall ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : null
  return {
    status,
    headers,
    line: Object.entries(headers).flat(),
    bytes,
    text: text && text.toString('latin1'),
    whenSent: null,
  }
}

function respond({ status, headers, bytes }: ReadyForm): Response {
  return new Response(bytes, { status, headers: { ...headers } })
}

/** Whether an `If-None-Match` header names the tag; weak and strong forms compare alike. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
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
