import { findSecretReference } from '../../document/secrets/secret-reference.ts'

/** The reason why a job cannot be assigned to any agent, as text for its console. */
export class AssignmentRefusal extends Error {}

/** Decrypts secrets of the configuration; null when none of the keys fits. */
export interface Secrets {
  open(sealed: string): string | null
}

interface Sealable {
  readonly plain: string | null
  readonly sealed: string | null
}

/** @throws {AssignmentRefusal} when the encrypted text cannot be decrypted. */
export function openSecret(secrets: Secrets, { plain, sealed }: Sealable, of: string) {
  const opened = sealed === null ? plain : secrets.open(sealed)
  if (sealed !== null && opened === null) {
    throw new AssignmentRefusal(`${of} was encrypted with a key that this server does not have`)
  }
  assertNoReference(opened, of)
  return opened
}

/** @throws {AssignmentRefusal} when the text refers to a secret, which is nowhere to be read from. */
export function assertNoReference(text: string | null, of: string): void {
  const reference = text === null ? null : findSecretReference(text)
  if (reference === null) return
  throw new AssignmentRefusal(
    `${of} is the secret ${reference.key} of ${reference.config}, and there is nothing to read it from`,
  )
}
