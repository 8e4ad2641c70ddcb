/** A secret that is kept elsewhere, as a text of later versions refers to it. */
export interface SecretReference {
  /** The id of its secret config. */
  readonly config: string
  readonly key: string
}

const REFERENCE = /\{\{SECRET:\[([^\]]*)\]\[([^\]]*)\]\}\}/

/** The first `{{SECRET:[config][key]}}` in a text, or null. */
export function findSecretReference(text: string): SecretReference | null {
  const [, config, key] = REFERENCE.exec(text) ?? []
  return config === undefined || key === undefined ? null : { config, key }
}
