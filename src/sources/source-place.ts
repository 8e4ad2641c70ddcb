import type { LocalMaterials } from './local-materials.ts'
import type { Tools } from './tools.ts'

/** What every source has to work with. */
export interface SourcePlace {
  readonly tools: Tools
  /** A folder of its own that exists and may be emptied at any time. */
  readonly folder: string
  /** The opened password of the configuration, if there is one. */
  readonly password: string | null
  /** Which folders of this machine may be materials. */
  readonly local: LocalMaterials
}

/** What must not be seen of some credentials. A user without a password is a token. */
export function secretsOf(
  { username, password }: { readonly username: string | null; readonly password: string | null },
  userIsSecret: boolean,
): string[] {
  const isToken = userIsSecret && (password === null || password === '')
  return [password, isToken ? username : null].flatMap((secret) => secret || [])
}
