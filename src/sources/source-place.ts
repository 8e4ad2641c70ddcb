import type { LocalMaterials } from './local-materials.ts'
import type { Tools } from './tools.ts'

/** The environment of every source. */
export interface SourcePlace {
  readonly tools: Tools
  /** A folder for this source alone, which may be emptied at any time. */
  readonly folder: string
  /** The decrypted password of the configuration, if there is one. */
  readonly password: string | null
  /** The folders of this machine that may be materials. */
  readonly local: LocalMaterials
}

/** The secret parts of credentials. A user without a password is a token. */
export function secretsOf(
  { username, password }: { readonly username: string | null; readonly password: string | null },
  userIsSecret: boolean,
): string[] {
  const isToken = userIsSecret && (password === null || password === '')
  return [password, isToken ? username : null].flatMap((secret) => secret || [])
}
