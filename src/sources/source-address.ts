import {
  addressFault,
  splitAddress,
  type SourceAddress,
  type SourceKind,
} from '../core/source-address.ts'
import { SourceFailed } from './modification.ts'

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
