import { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { z } from 'zod'
import { readMultipart } from '../lib/multipart.ts'
import { parseJsonOr } from '../lib/parse-json.ts'
import { malformedRequest, ServiceError } from '../core/errors.ts'
import type { BodyRoom } from '../core/service/body-room.ts'
import { isCoded, plainBody } from './content-coding.ts'
import { malformed, wellFormed } from './parameters.ts'
import type { AnswerRequest } from './request-context.ts'
import { addToGroup } from '../lib/grouping.ts'

/** Checks to make once the body of a request has arrived. */
const decisions = new WeakMap<Request, () => Promise<void>>()

/** Functions that take room for the bytes of a large body, until its request is answered. */
const takers = new WeakMap<Request, (bytes: number) => void>()

/** The messages of Node that requests with large bodies came as. */
const largeMessages = new WeakMap<Request, IncomingMessage>()
/** The size in bytes from which a body is read into its place as it arrives. */
const LARGE_BODY = 256 * 1_024

/** Whether a body comes with the request. */
export function hasBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0'
}

/** Notes the message behind a request, if its body is announced as a large one. */
export function noteMessage(request: Request, message: object): void {
  if (!(message instanceof IncomingMessage)) return
  if (Number(message.headers['content-length']) >= LARGE_BODY) largeMessages.set(request, message)
}

/** Has a request refused when `decide` throws after the body has come: that may take minutes. */
export function decideAfterBody(request: Request, decide: () => Promise<void>): void {
  decisions.set(request, decide)
}

async function decideNow(request: Request): Promise<void> {
  await decisions.get(request)?.()
}

/** Answers requests whose large bodies take room until then; refuses those for which none is left. */
export function withinRoom(room: BodyRoom, answer: AnswerRequest): AnswerRequest {
  return (request, context) => {
    if (request.method === 'GET') return answer(request, context)
    let taken = 0
    takers.set(request, (bytes) => {
      room.take(bytes)
      taken += bytes
    })
    const answered = answer(request, context)
    return answered instanceof Promise ? answered.finally(() => room.release(taken)) : answered
  }
}

/**
 * Reads the whole body of a request, and unpacks it when it has a content coding.
 *
 * @throws {ServiceError} `body-too-large` as soon as it is known to be over the limit, in bytes;
 * `coding-unsupported`, and `malformed-request` for what its coding cannot have made;
 * `not-authorized` when the caller's credential was revoked meanwhile; `unavailable` for a large one
 * while there is no room for it.
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = await readWhole(request, limit)
  await decideNow(request)
  return body
}

async function readWhole(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const length = request.headers.get('content-length')
  if (length === null || isCoded(request)) return readUnannounced(request, limit)
  if (Number(length) > limit) throw tooLarge(limit)
  const takeRoom = takers.get(request)
  const message = largeMessages.get(request)
  const isUnread = message?.readableDidRead === false && !message.destroyed
  if (isUnread) return readInto({ length: Number(length), takeRoom }, message)
  if (Number(length) >= LARGE_BODY) takeRoom?.(Number(length))
  // No more than was announced arrives, and without a stream it costs half as much.
  return new Uint8Array(await request.arrayBuffer())
}

interface AnnouncedBody {
  readonly length: number
  readonly takeRoom: ((bytes: number) => void) | undefined
}

/**
 * Reads the body of a message into one buffer of the announced length: pieces that are joined later
 * are several times its size. The system hands out the memory of the buffer as it is written, so room
 * is taken by what arrives: a client that sends nothing takes none.
 */
function readInto(
  { length, takeRoom }: AnnouncedBody,
  message: IncomingMessage,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    let body: Uint8Array<ArrayBuffer> | null = null
    let size = 0
    const take = (part: Uint8Array) => {
      try {
        takeRoom?.(part.length)
      } catch (error) {
        body = null
        reject(error)
        message.off('data', take).resume()
        return
      }
      body ??= new Uint8Array(length)
      body.set(part, size)
      size += part.length
    }
    finished(message, { writable: false }, (error) => {
      message.off('data', take)
      // A client may be gone once it has sent everything, and its request counts.
      if (body !== null && size === length) resolve(body)
      else reject(error ?? new Error('The client ended the connection within a body'))
    })
    message.on('data', take)
  })
}

async function readUnannounced(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of plainBody(request)) {
    size += part.length
    if (size > limit) throw tooLarge(limit)
    if (size >= LARGE_BODY) takers.get(request)?.(part.length)
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('body-too-large', `The body is larger than ${limit} bytes`, { limit })
}

/** @throws {ServiceError} `malformed-request`. */
export function parseJson(text: string): unknown {
  return parseJsonOr(text, ({ message }) => {
    throw malformed(`The body is not JSON: ${message}`, 'body')
  })
}

/**
 * Reads a JSON body; an empty one is an object without fields.
 *
 * @throws {ServiceError} `malformed-request` with the field that is not as it must be, `body-too-large`.
 */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  limit: number,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const text = Buffer.from(await readBody(request, limit)).toString('utf8')
  return wellFormed(schema, text.trim() === '' ? {} : parseJson(text))
}

/** The fields of a form, each with its exact bytes, in the order they were sent. */
export type Form = ReadonlyMap<string, readonly Uint8Array[]>

/** The forms of requests, each read once. */
const forms = new WeakMap<Request, Promise<Form>>()

/**
 * Reads a URL-encoded or multipart form; once it is read, or could not be, the limit is that of the first call. Bytes
 * stay bytes: nothing is replaced by the decoding. An empty body is a form without fields, whatever its type.
 */
export async function readForm(request: Request, limit: number): Promise<Form> {
  const form = await readRefusedForm(request, limit)
  await decideNow(request)
  return form
}

/** The same whether or not the credential of its caller is still good: what was typed is to be kept. */
export function readRefusedForm(request: Request, limit: number): Promise<Form> {
  const form = forms.get(request) ?? readBodyAsForm(request, limit)
  forms.set(request, form)
  return form
}

/** Whether the body of a request was read as something other than a form. */
export function isBodyGone(request: Request): boolean {
  return !forms.has(request) && (request.bodyUsed || request.body?.locked === true)
}

async function readBodyAsForm(request: Request, limit: number): Promise<Form> {
  const body = await readWhole(request, limit)
  if (body.length === 0) return new Map()
  const type = request.headers.get('content-type') ?? ''
  if (type.toLowerCase().startsWith('multipart/form-data')) return readMultipartForm(body, type)
  return readUrlEncoded(body)
}

/**
 * Reads the fields of a call, from a form or from a JSON object of texts and lists of texts. An
 * empty object is a form without fields: clients without fields send one, whatever type they
 * announce. So are an empty list and `null` in JSON.
 *
 * @throws {ServiceError} `malformed-request` for a field that the call does not have, by its name.
 */
export async function readFields(
  request: Request,
  limit: number,
  schema: z.ZodObject,
): Promise<Form> {
  const form = await readFormOrObject(request, limit)
  assertKnownFields(form, schema)
  return form
}

/** @throws {ServiceError} `malformed-request` for a field that the schema of a call does not have, by its name. */
export function assertKnownFields(form: Form, { shape }: z.ZodObject): void {
  const stranger = [...form.keys()].find((name) => !Object.hasOwn(shape, name))
  if (stranger === undefined) return
  const known = Object.keys(shape).join(', ')
  throw malformed(`"${stranger}" is not a field of this call; it takes ${known}`, stranger)
}

async function readFormOrObject(request: Request, limit: number): Promise<Form> {
  const type = request.headers.get('content-type') ?? ''
  if (/multipart\/form-data/i.test(type)) return readForm(request, limit)
  const body = await readBody(request, limit)
  const text = Buffer.from(body).toString('utf8').trim()
  const isObject = isJson(request) || (text.startsWith('{') && text.endsWith('}'))
  if (!isObject) return readUrlEncoded(body)
  return new Map(Object.entries(saysNothing(text) ? {} : parseTexts(text)).map(encoded))
}

/** Whether a body is announced as JSON. */
export function isJson({ headers }: Request): boolean {
  return /\bjson\b/i.test(headers.get('content-type') ?? '')
}

/** Whether a text is empty, or JSON by which programs say that they have no fields: `{}`, `[]` or `null`. */
export function saysNothing(text: string): boolean {
  return /^(?:\{\s*\}|\[\s*\]|null)?$/.test(text.trim())
}

const Texts = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

function parseTexts(text: string): z.infer<typeof Texts> {
  return wellFormed(Texts, parseJson(text))
}

function encoded([name, texts]: [string, string | readonly string[]]): [string, Uint8Array[]] {
  return [name, [texts].flat().map((each) => new TextEncoder().encode(each))]
}

/** The last value of a field as text, or null when it was not sent. */
export function textField(form: Form, name: string): string | null {
  const value = form.get(name)?.at(-1)
  return value ? Buffer.from(value).toString('utf8') : null
}

/** All values of a field as texts, in the order they were sent. */
export function textsIn(form: Form, name: string): string[] {
  return (form.get(name) ?? []).map((value) => Buffer.from(value).toString('utf8'))
}

function readMultipartForm(body: Uint8Array, type: string): Form {
  const fields = readMultipart(body, type)
  if (fields === null)
    throw malformedRequest('The body is not the form that its content type announces')
  const form = new Map<string, Uint8Array[]>()
  for (const { name, value } of fields) addToGroup(form, name, value)
  return form
}

function readUrlEncoded(body: Uint8Array): Form {
  const form = new Map<string, Uint8Array[]>()
  const text = Buffer.from(body).toString('latin1')
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const separator = pair.indexOf('=')
    const name = decode(separator < 0 ? pair : pair.slice(0, separator)).toString('utf8')
    addToGroup(form, name, separator < 0 ? new Uint8Array() : decode(pair.slice(separator + 1)))
  }
  return form
}

function decode(text: string): Buffer {
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!plain.includes('%')) return Buffer.from(plain, 'latin1')
  const decoded = plain.replace(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(decoded, 'latin1')
}
