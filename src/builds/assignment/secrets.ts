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
  if (sealed === null) return plain
  const opened = secrets.open(sealed)
  if (opened !== null) return opened
  throw new AssignmentRefusal(`${of} was encrypted with a key that this server does not have`)
}
