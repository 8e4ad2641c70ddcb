import { readDocument } from '../../../../src/document/document.ts'
import { aConfigurationInBytes } from '../../../support/documents/a-configuration.ts'

/** The faults of a configuration, in the order of its document. */
export function messagesOf(given: Parameters<typeof aConfigurationInBytes>[0]): string[] {
  const reading = readDocument(aConfigurationInBytes(given))
  return reading.ok ? [] : reading.problems.map(({ message }) => message)
}
