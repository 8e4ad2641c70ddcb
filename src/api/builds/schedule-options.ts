import type { ScheduleOptions } from '../../builds/runs/start-runs.ts'
import { malformed } from '../../http/parameters.ts'
import { isJson, readBody, readForm, saysNothing } from '../../http/request-body.ts'

const MAX_BODY_BYTES = 1_048_576
const FIELD = /^(variables|secure_variables|materials)\[([^[\]]+)\]$/
/** Names the revision that the jobs are to be made from. */
const CONFIGURATION = 'configuration'
const SECURE = 'secure_variables['

type Kind = 'variables' | 'secure_variables' | 'materials' | typeof CONFIGURATION

interface Field {
  readonly kind: Kind
  /** Of the variable or material. */
  readonly name: string
  readonly value: string
}

/**
 * Reads the options of a single run, in the form of the original's clients: fields
 * `variables[NAME]`, `secure_variables[NAME]` and `materials[NAME]`, in the body or, unless they
 * are secret, in the address; and `configuration`, the revision that the jobs are to be made from.
 *
 * @throws {ServiceError} `malformed-request` for every other field, so that nothing else is built than was asked for.
 */
export async function readScheduleOptions(request: Request): Promise<ScheduleOptions> {
  const fields = [...(await fieldsOfBody(request)), ...fieldsOfAddress(request)]
  const repeated = fields.find(({ kind, name }, n) => fields.findIndex(isSame(kind, name)) !== n)
  if (repeated) throw malformedField(repeated, 'is given more than once')
  return {
    variables: fields
      .filter(({ kind }) => kind === 'variables' || kind === 'secure_variables')
      .map(({ kind, name, value }) => ({ name, value, secure: kind === 'secure_variables' })),
    pins: fields
      .filter(({ kind }) => kind === 'materials')
      .map(({ name, value }) => ({ material: name, revision: value })),
    configuration: fields.find(({ kind }) => kind === CONFIGURATION)?.value ?? null,
  }
}

/** A variable is one, given as a secure one or not. */
function isSame(kind: Kind, name: string) {
  const place = placeOf(kind)
  return (other: Field) => other.name === name && placeOf(other.kind) === place
}

function placeOf(kind: Kind): Kind {
  return kind === 'secure_variables' ? 'variables' : kind
}

async function fieldsOfBody(request: Request): Promise<Field[]> {
  if (isJson(request)) {
    await assertEmptyJson(request)
    return []
  }
  const form = await readForm(request, MAX_BODY_BYTES)
  return [...form].flatMap(([name, values]) => {
    // Clients that have nothing to say send this, whatever type they announce.
    if (name.trim() === '{}' && form.size === 1) return []
    return values.map((value) => fieldOf(name, textOf(name, value)))
  })
}

async function assertEmptyJson(request: Request): Promise<void> {
  const text = Buffer.from(await readBody(request, MAX_BODY_BYTES)).toString('utf8')
  if (saysNothing(text)) return
  throw malformed(
    'Options are a form with variables[NAME], secure_variables[NAME], materials[NAME]',
    'body',
  )
}

/** Other parameters of an address are ignored everywhere. What is secret must not get into the logs of proxies. */
function fieldsOfAddress(request: Request): Field[] {
  const fields = [...new URL(request.url).searchParams].filter(
    ([name]) => FIELD.test(name) || name === CONFIGURATION,
  )
  const secret = fields.find(([name]) => name.startsWith(SECURE))
  if (secret) throw malformed(`"${secret[0]}" belongs in the body, not in the address`, secret[0])
  return fields.map(([name, value]) => fieldOf(name, value))
}

function fieldOf(field: string, value: string): Field {
  if (field === CONFIGURATION) return configurationField(value)
  const [, kind, name] = FIELD.exec(field) ?? []
  if (name === undefined || !isKind(kind)) {
    const forms = 'variables[NAME], secure_variables[NAME], materials[NAME] or configuration'
    throw malformed(`"${field}" is none of ${forms}`, field)
  }
  const given = { kind, name, value }
  if (value.includes('\0')) throw malformedField(given, 'holds a character that no variable can')
  if (kind !== 'materials') return given
  if (value.trim() === '') throw malformedField(given, 'names no revision')
  return { ...given, value: value.trim() }
}

function configurationField(value: string): Field {
  const field = { kind: CONFIGURATION, name: '', value: value.trim() } as const
  if (field.value === '') throw malformedField(field, 'names no revision')
  return field
}

function isKind(text: string | undefined): text is Kind {
  return text === 'variables' || text === 'secure_variables' || text === 'materials'
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw malformed(`"${name}" is not UTF-8`, name)
  }
}

function malformedField({ kind, name }: Field, reason: string) {
  const field = kind === CONFIGURATION ? kind : `${kind}[${name}]`
  return malformed(`"${field}" ${reason}`, field)
}
