import { withoutCredentials } from '../../core/hidden-credentials.ts'
import { openAddress } from '../../document/secrets/address-secret.ts'
import { findSecretReferences } from '../../document/secrets/secret-reference.ts'
import type { SecretUse } from '../../document/unsupported/secret-rules.ts'
import { findUserInfos } from '../../document/secrets/user-info.ts'
import { SecretMissing } from '../../security/secret-files.ts'
import type { ConfigurationSecrets } from './configuration-secrets.ts'

/** The reason why a job cannot be assigned to any agent, as text for its console. */
export class AssignmentRefusal extends Error {}

const REFERENCE_START = '{{'

interface Sealable {
  readonly plain: string | null
  readonly sealed: string | null
}

export type Secrets = Pick<ConfigurationSecrets, 'open' | 'fill' | 'whyMissing'>

/** The texts of one job as its agent gets them: decrypted, with the secrets that are kept elsewhere. */
export class JobTexts {
  readonly #secrets: Secrets
  readonly #use: SecretUse
  readonly #masked = new Set<string>()

  /** In the texts of the pipelines of this group. */
  constructor(secrets: Secrets, group: string) {
    this.#secrets = secrets
    this.#use = { type: 'pipeline_group', name: group }
  }

  /** The secrets that were filled in, which the agent has to hide wherever they are written. */
  get masked(): readonly string[] {
    return [...this.#masked]
  }

  /** @throws {AssignmentRefusal} when a secret of the text cannot be read. */
  async fill(text: string, of: string, form?: (value: string, at: number) => string) {
    return this.#fill(text, { of, use: this.#use, ...(form && { form }) })
  }

  async fillOptional(text: string | null, of: string): Promise<string | null> {
    return text === null ? null : this.fill(text, of)
  }

  /** @throws {AssignmentRefusal} when the encrypted text cannot be decrypted, or a secret cannot be read. */
  async open(sealable: Sealable, of: string, use = this.#use): Promise<string | null> {
    const opened = this.#opened(sealable, of)
    return opened === null ? null : this.#fill(opened, { of, use })
  }

  /**
   * The same without secrets that are kept elsewhere.
   *
   * @throws {AssignmentRefusal} also for a reference to one.
   */
  openWithout(sealable: Sealable, of: string): string | null {
    const opened = this.#opened(sealable, of)
    const [reference] = opened === null ? [] : findSecretReferences(opened)
    if (reference === undefined) return opened
    const { config, key } = reference
    const reason =
      this.#secrets.whyMissing(reference) ?? 'only the configuration may refer to secrets'
    throw new AssignmentRefusal(`${of} is the secret ${key} of ${config}, and ${reason}`)
  }

  /** The same of an address: a secret in its user info is encoded as it has to be there. */
  async address(written: string, of: string): Promise<string> {
    const address = openAddress(written, this.#secrets.open)
    if (address === null) throw foreignKey(of)
    const filled = await this.fill(address, of, secretsIn(address))
    // Where the address as a whole is a secret, clients name it without its user info.
    if (address.startsWith(REFERENCE_START)) this.#masked.add(withoutCredentials(filled))
    return filled
  }

  #opened({ plain, sealed }: Sealable, of: string): string | null {
    const opened = sealed === null ? plain : this.#secrets.open(sealed)
    if (sealed !== null && opened === null) throw foreignKey(of)
    return opened
  }

  async #fill(
    text: string,
    {
      of,
      use,
      form,
    }: {
      readonly of: string
      readonly use: SecretUse
      readonly form?: (value: string, at: number) => string
    },
  ): Promise<string> {
    try {
      const { text: filled, values } = await this.#secrets.fill(text, [use], form)
      for (const value of values) this.#masked.add(value)
      return filled
    } catch (error) {
      if (!(error instanceof SecretMissing)) throw error
      throw new AssignmentRefusal(`${of} ${error.message}`, { cause: error })
    }
  }
}

/** The form of a secret at a place of an address. */
export function secretsIn(address: string): (value: string, at: number) => string {
  const infos = [...findUserInfos(address)]
  return (value, at) =>
    infos.some(({ start, end }) => start <= at && at < end) ? encodeURIComponent(value) : value
}

function foreignKey(of: string): AssignmentRefusal {
  return new AssignmentRefusal(`${of} was encrypted with a key that this server does not have`)
}
