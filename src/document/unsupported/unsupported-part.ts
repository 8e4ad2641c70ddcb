import type { At, UnknownPart } from '../model/model.ts'
import { findSecretReference } from '../secrets/secret-reference.ts'

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

export const NO_PLUGINS = 'there are no plugins here'

/** Decrypts a secret; null when none of the keys fits. */
export type OpenSecret = (sealed: string) => string | null

/** The part that refers to a secret that is kept elsewhere, or none. */
export function* referring(
  text: string | null,
  { at, what }: Pick<FoundPart, 'at' | 'what'>,
): Generator<FoundPart> {
  const reference = text === null ? null : findSecretReference(text)
  if (reference === null) return
  const { config, key } = reference
  const because = `it is the secret ${key} of ${config}, and there is nothing to read it from`
  yield { at, what, because }
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
