/** A secret that is kept elsewhere, as a text of later versions refers to it. */
export interface SecretReference {
  /** The id of its secret config. */
  readonly config: string
  readonly key: string
}

const BEGINNING = '{{SECRET:['
/** Neither part spans the beginning of another reference, so that the search takes one pass. */
const REFERENCE = /\{\{SECRET:\[([^\]{]*)\]\[([^\]]{0,1024})\]\}\}/g

/** The references `{{SECRET:[config][key]}}` in a text, each once. */
export function findSecretReferences(text: string): readonly SecretReference[] {
  if (!text.includes(BEGINNING)) return []
  const found = new Map<string, SecretReference>()
  for (const [whole, config = '', key = ''] of text.matchAll(REFERENCE)) {
    found.set(whole, { config, key })
  }
  return [...found.values()]
}

/** The text with the value of each secret in the place of its reference. */
export function fillSecretReferences(
  text: string,
  valueOf: (reference: SecretReference, at: number) => string,
): string {
  return text.replaceAll(REFERENCE, (_, config: string, key: string, at: number) =>
    valueOf({ config, key }, at),
  )
}

/** The references in all texts of a part of a configuration, each once. */
export function secretReferencesIn(part: unknown): readonly SecretReference[] {
  return mentionsSecret(part) ? findSecretReferences(textsOf(part).join('\n')) : []
}

/** Whether any text begins a reference: of the tasks of a large configuration few do, and all are asked at a start. */
function mentionsSecret(part: unknown): boolean {
  if (typeof part === 'string') return part.includes(BEGINNING)
  if (Array.isArray(part)) return typeof part[0] !== 'number' && part.some(mentionsSecret)
  if (typeof part !== 'object' || part === null) return false
  for (const name in part) if (mentionsSecret(Reflect.get(part, name))) return true
  return false
}

function textsOf(part: unknown): readonly string[] {
  if (typeof part === 'string') return [part]
  if (typeof part !== 'object' || part === null) return []
  return Object.values(part).flatMap(textsOf)
}
