import type { At, UnknownPart } from '../model/model.ts'
import { findSecretReferences, type SecretReference } from '../secrets/secret-reference.ts'

/** A part of a document that is accepted and kept, though nobody here acts on it. */
export interface UnsupportedPart {
  /** The entity that needs it. */
  readonly entity: string
  readonly at: At
  readonly what: string
  /** The reason, as a sentence without its full stop. */
  readonly because: string
}

/** One of an entity that is known from elsewhere. */
export type FoundPart = Omit<UnsupportedPart, 'entity'>

/** A text that refers to a secret that is kept elsewhere: unsupported where that cannot be read. */
export interface ReferringPart extends Omit<FoundPart, 'because'> {
  readonly reference: SecretReference
}

export const NO_PLUGINS = 'there are no plugins here'

/** Decrypts a secret; null when none of the keys fits. */
export type OpenSecret = (sealed: string) => string | null

/** The secrets of a text that are kept elsewhere. */
export function referring(
  text: string | null,
  { at, what }: Pick<FoundPart, 'at' | 'what'>,
): readonly ReferringPart[] {
  const references = text === null ? [] : findSecretReferences(text)
  return references.map((reference) => ({ at, what, reference }))
}

const NO_PLACE = 'no secret is filled in there, and the job fails'

/** A text in which no secret is filled in, but that refers to one. */
export function misplaced(
  text: string | null,
  { at, what }: Pick<FoundPart, 'at' | 'what'>,
): readonly FoundPart[] {
  return referring(text, { at, what }).map(({ reference: { config, key } }) => {
    return { at, what, because: `it is the secret ${key} of ${config}, and ${NO_PLACE}` }
  })
}

/** The part with the reason why its secret cannot be read. */
export function withReason(
  { at, what, reference: { config, key } }: ReferringPart,
  reason: string,
): FoundPart {
  return { at, what, because: `it is the secret ${key} of ${config}, and ${reason}` }
}

const WITHOUT_MATERIAL = 'no schema knows it, and the pipeline does not start without it'
const WITHOUT_TASK = 'no schema knows it, and the job fails without it'

const ELEMENT_REASONS: ReadonlyMap<string, string> = new Map([
  ['materials', WITHOUT_MATERIAL],
  ['tasks', WITHOUT_TASK],
  ['oncancel', WITHOUT_TASK],
])

/** A part that no schema knows. */
export function unknownPart({ at, kind, name, within }: UnknownPart): FoundPart {
  const because = kind === 'element' ? ELEMENT_REASONS.get(within) : undefined
  return {
    at,
    what: `the ${kind} ${name} of ${within}`,
    because: because ?? 'no schema knows it',
  }
}
