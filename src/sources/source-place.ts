import type { LocalMaterials } from './local-materials.ts'
import type { Tools } from './tools.ts'
import {
  addressFault,
  splitAddress,
  type SourceAddress,
  type SourceKind,
} from '../core/source-address.ts'
import { SourceFailed } from './modification.ts'

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

/**
 * Takes the address of a repository apart: a URL with one of the schemes of its kind, or a path.
 *
 * @throws {SourceFailed} for anything that a tool could take for an option or a command.
 */
export function addressOf(kind: SourceKind, text: string): SourceAddress {
  const fault = addressFault(kind, text.trim())
  if (fault !== null) throw new SourceFailed(fault)
  const address = splitAddress(text.trim())
  if (address === null) throw new SourceFailed('The address of the repository is not a URL')
  return address
}
