import { z } from 'zod'
import { MAX_MESSAGE_LENGTH, UNFIT_IN_MESSAGE } from '../core/revision.ts'
import { malformed } from './parameters.ts'
import { type Form, readFields, textField } from './request-body.ts'

/** Gives the reason of a change, as percent-encoded UTF-8. */
const HEADER = 'x-cairn-message'
const FIELD = 'message'
/** A message and the form around it, in bytes. */
const MAX_FORM_BYTES = 65_536

/**
 * The reason of a change: the field `message` of the form if there is one, else the header; may be
 * empty.
 *
 * @throws {ServiceError} `malformed-request` for what a commit cannot hold.
 */
export function messageOf(request: Request, form: Form = new Map()): string {
  const field = textField(form, FIELD)
  if (field !== null && field.trim() !== '') return checkedMessage(field, FIELD)
  return checkedMessage(decoded(request.headers.get(HEADER) ?? ''), HEADER)
}

/** The fields of a call that may give a reason, and nothing else. */
export const MessageFields = z.strictObject({ [FIELD]: z.string().optional() })

/** The same of a request that needs no body, but may send a form or JSON. */
export async function readMessage(request: Request): Promise<string> {
  const hasFields = /\b(?:form|json)\b/i.test(request.headers.get('content-type') ?? '')
  const none: Form = new Map()
  const fields = hasFields ? await readFields(request, MAX_FORM_BYTES, MessageFields) : none
  return messageOf(request, fields)
}

/**
 * A message as people wrote it, with line feeds and without white space at its ends.
 *
 * @throws {ServiceError} `malformed-request` when it is too long or cannot be shown.
 */
export function checkedMessage(text: string, path: string): string {
  const message = text.replaceAll('\r\n', '\n').trim()
  if (message.length > MAX_MESSAGE_LENGTH) {
    throw malformed(`The ${path} is longer than ${MAX_MESSAGE_LENGTH} characters`, path)
  }
  if (message.split('\n').every((line) => !UNFIT_IN_MESSAGE.test(line))) return message
  throw malformed(`The ${path} has characters that cannot be shown`, path)
}

function decoded(header: string): string {
  try {
    if (/^[\x20-\x7e\t]*$/.test(header)) return decodeURIComponent(header)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw malformed(`The header ${HEADER} is not percent-encoded UTF-8`, HEADER)
}
