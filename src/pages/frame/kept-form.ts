import { ServiceError } from '../../core/errors.ts'
import { tooMany } from '../../core/service/rate-limit.ts'
import { type Form, isBodyGone, readRefusedForm, textField } from '../../http/request-body.ts'

/** A form that was sent without effect, such as after its session had ended. */
export interface KeptForm {
  /** Where it was sent to. */
  readonly to: string
  /** The typed fields, without passwords. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** The largest form that is kept through a log-in, in bytes. */
export const MAX_FORM_BYTES = 1_048_576
/** The largest log-in, which carries what is kept, in bytes. */
const MAX_LOG_IN_BYTES = 2 * MAX_FORM_BYTES
/**
 * The size of forms that any caller may send without a log-in, so any number of them is read at
 * once.
 */
const SMALL = 16_384
/** How many larger ones are read at once, and the `Retry-After` of more. */
const READ_AT_ONCE = 16
const RETRY_AFTER_MS = 1_000
const MAX_FIELDS = 2_000

/** Fields of forms that have passwords. */
const SECRET = /^(old|again)$|passw|secret|secure/i
/** Stands before the names of kept fields in the form of the log-in. */
const PREFIX = 'kept.'

/** Reads forms of people who are not logged in, and those of requests that failed. */
export class KeptForms {
  #reading = 0

  /** The form to resubmit after a log-in; null when it is too large, or no form. */
  async keep(request: Request): Promise<KeptForm | null> {
    const form = await this.#formOf(request)
    return form && keptOf(request, form)
  }

  /** The form of a request that failed, to be sent again; null as well where it has a password, or cannot be read. */
  async keepWhole(request: Request): Promise<KeptForm | null> {
    const form = isBodyGone(request) ? null : await this.#formOf(request).catch(() => null)
    return form === null || hasSecret(form) ? null : keptOf(request, form)
  }

  async #formOf(request: Request): Promise<Form | null> {
    try {
      return await this.#read(request, MAX_FORM_BYTES)
    } catch (error) {
      if (error instanceof ServiceError) return null
      throw error
    }
  }

  /**
   * The form of a log-in.
   *
   * @throws {ServiceError} `body-too-large`, `malformed-request`, `too-many-requests`.
   */
  readLogIn(request: Request): Promise<Form> {
    return this.#read(request, MAX_LOG_IN_BYTES)
  }

  async #read(request: Request, limit: number): Promise<Form> {
    const length = request.headers.get('content-length')
    if (length !== null && Number(length) <= SMALL) return readRefusedForm(request, SMALL)
    if (this.#reading >= READ_AT_ONCE) throw tooMany('forms are sent', RETRY_AFTER_MS)
    this.#reading += 1
    try {
      return await readRefusedForm(request, limit)
    } finally {
      this.#reading -= 1
    }
  }
}

/** The kept form that a log-in carries; null for none. */
export function keptIn(form: Form, root: string): KeptForm | null {
  const to = textField(form, 'to')
  if (to === null || !isOwnPath(to, root)) return null
  const fields = fieldsOf(form).filter(([name]) => name.startsWith(PREFIX))
  return { to, fields: fields.map(([name, value]) => [name.slice(PREFIX.length), value]) }
}

/** The name of a kept field in the form of the log-in. */
export function keptName(name: string): string {
  return PREFIX + name
}

function keptOf(request: Request, form: Form): KeptForm | null {
  const { pathname, search } = new URL(request.url)
  const fields = fieldsOf(form)
  const values = [...form.values()].flat()
  const size = values.reduce((sum, { length }) => sum + length, 0)
  const isTooLarge = fields.length > MAX_FIELDS || size > MAX_FORM_BYTES
  return isTooLarge ? null : { to: `${pathname}${search}`, fields }
}

function isSecret(name: string): boolean {
  return SECRET.test(name)
}

function hasSecret(form: Form): boolean {
  return [...form].some(
    ([name, values]) => isSecret(name) && values.some(({ length }) => length > 0),
  )
}

function fieldsOf(form: Form): KeptForm['fields'] {
  return Array.from(form).flatMap(([name, values]) =>
    isSecret(name)
      ? []
      : values.map((value) => [name, Buffer.from(value).toString('utf8')] as const),
  )
}

/** A path of this service as a header takes it, with any letters; null for an address that is none. */
export function ownPath(address: string, root: string): string | null {
  if (!isOwnPath(address, root)) return null
  return address.toWellFormed().replaceAll(/[^!-~]+/g, encodeURIComponent)
}

/** Whether an address is a path of this service, and not on another host. */
function isOwnPath(address: string, root: string): boolean {
  return address.startsWith(root) && !/^\/[/\\]/.test(address) && !/[\p{Cc}]/u.test(address)
}
