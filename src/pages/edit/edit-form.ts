import type { Digest } from '../../core/digest.ts'
import type { Choice } from '../../document/merge/merge-conflict.ts'
import type { EditDraft } from './edit-draft.ts'
import { EntityName } from '../work/edit-scope.ts'
import { messageOf } from '../../http/change-message.ts'
import { malformed, parseDigest } from '../../http/parameters.ts'
import { readForm, textField, type Form } from '../../http/request-body.ts'

export type EditAction = 'edit' | 'check' | 'preview' | 'save' | 'propose'

/** The fields that the forms of the editor send. */
export interface EditForm {
  readonly draft: EditDraft
  readonly action: EditAction
  /** The reason in the words of the author; may be empty. */
  readonly message: string
  /** The revision that the choices apply to, or null when there was no conflict. */
  readonly against: Digest | null
  /** The choice for each place of a conflict; null where none was made. */
  readonly choices: readonly (Choice | null)[]
}

const CHOICES: readonly Choice[] = ['ours', 'theirs', 'both']
const ACTIONS: readonly EditAction[] = ['edit', 'check', 'preview', 'save', 'propose']

/** @throws {ServiceError} `malformed-request`, `body-too-large`. */
export async function readEditForm(request: Request, limit: number): Promise<EditForm> {
  const form = await readForm(request, limit)
  const typed = textField(form, 'xml')
  if (typed === null) throw malformed('The field xml is missing', 'xml')
  const against = textField(form, 'against') ?? ''
  const asked = textField(form, 'action')
  return {
    draft: {
      typed,
      basedOn: parseDigest(textField(form, 'basedOn') ?? '', 'basedOn'),
      entity: parseEntity(textField(form, 'entity') ?? ''),
    },
    action: ACTIONS.find((action) => action === asked) ?? 'check',
    message: messageOf(request, form),
    against: against === '' ? null : parseDigest(against, 'against'),
    choices: choicesIn(form),
  }
}

/** `pipeline/checkout`, or empty for the whole document. */
export function parseEntity(text: string): EntityName | null {
  if (text === '') return null
  const slash = text.indexOf('/')
  const read = EntityName.safeParse({ kind: text.slice(0, slash), name: text.slice(slash + 1) })
  if (read.success) return read.data
  throw malformed(`"${text}" is not an entity such as pipeline/checkout`, 'entity')
}

/** The choice for each place of a conflict; null where none was made. */
export function choicesIn(form: Form): readonly (Choice | null)[] {
  const places = [...form.keys()].flatMap((name) => /^choice-(\d{1,5})$/.exec(name)?.[1] ?? [])
  const count = Math.max(0, ...places.map((place) => Number(place) + 1))
  return Array.from({ length: count }, (_, n) => {
    const choice = textField(form, `choice-${n}`)
    return CHOICES.find((known) => known === choice) ?? null
  })
}
