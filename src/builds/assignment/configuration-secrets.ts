import {
  fillSecretReferences,
  findSecretReferences,
  type SecretReference,
} from '../../document/secrets/secret-reference.ts'
import { type SecretUse, whyNotReferable } from '../../document/unsupported/secret-rules.ts'
import { NO_PLACES } from '../../document/unsupported/unsupported-parts.ts'
import type { Configuration } from '../../document/model/model.ts'
import { type SecretFiles, SecretMissing } from '../../security/secret-files.ts'

export interface ConfigurationSecretsOptions {
  /** Decrypts what is sealed in the document; null when none of the keys fits. */
  readonly box: { open(sealed: string): string | null }
  /** Null where secrets are sealed in the document alone. */
  readonly files: SecretFiles | null
  readonly pipelines: {
    readonly configuration: Pick<Configuration, 'secretConfigs'>
    find(pipeline: string): { readonly group: string } | null
  }
}

/** A text with the values of its secrets in the places of their references. */
export interface FilledText {
  readonly text: string
  readonly values: readonly string[]
}

/** The secrets of the current configuration: sealed in the document, or kept elsewhere and referred to. */
export class ConfigurationSecrets {
  readonly #options: ConfigurationSecretsOptions

  constructor(options: ConfigurationSecretsOptions) {
    this.#options = options
  }

  readonly open = (sealed: string): string | null => this.#options.box.open(sealed)

  /** Secrets that are kept elsewhere; null where nothing keeps any. */
  get places(): SecretFiles | null {
    return this.#options.files
  }

  whyMissing(reference: SecretReference): string | null {
    return (this.places ?? NO_PLACES).whyMissing(reference)
  }

  /**
   * Fills in the secrets of a text that is used in one of these places at least.
   *
   * @throws {SecretMissing} whose message ends a sentence about the text.
   */
  async fill(
    text: string,
    uses: readonly SecretUse[],
    form: (value: string, at: number) => string = (value) => value,
  ): Promise<FilledText> {
    const values = new Map<string, string>()
    for (const reference of findSecretReferences(text)) {
      values.set(keyOf(reference), await this.#read(reference, uses))
    }
    const valueOf = (reference: SecretReference) => values.get(keyOf(reference)) ?? ''
    const filled = fillSecretReferences(text, (reference, at) => form(valueOf(reference), at))
    return { text: filled, values: [...values.values()] }
  }

  /** The places in which texts of these pipelines are used. */
  usesOf(pipelines: readonly string[]): readonly SecretUse[] {
    return pipelines.flatMap((name) => {
      const group = this.#options.pipelines.find(name)?.group
      return group === undefined ? [] : [{ type: 'pipeline_group', name: group } as const]
    })
  }

  async #read(reference: SecretReference, uses: readonly SecretUse[]): Promise<string> {
    const { files, pipelines } = this.#options
    const { config, key } = reference
    const subject = `is the secret ${key} of ${config}, and`
    if (files === null) throw new SecretMissing(`${subject} ${NO_PLACES.whyMissing(reference)}`)
    const { secretConfigs } = pipelines.configuration
    const reasons = uses.map((use) => whyNotReferable(secretConfigs, reference, use))
    const [refused = null] = reasons
    if (refused !== null && !reasons.includes(null)) {
      throw new SecretMissing(`${subject} ${refused}`)
    }
    try {
      return await files.read(reference)
    } catch (cause) {
      if (!(cause instanceof SecretMissing)) throw cause
      throw new SecretMissing(`${subject} ${cause.message}`, { cause })
    }
  }
}

function keyOf({ config, key }: SecretReference): string {
  return JSON.stringify([config, key])
}
