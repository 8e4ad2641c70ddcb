import { readDocument } from '../../document/document.ts'
import { findPlainSecrets } from '../../document/secrets/plain-secrets.ts'
import type { Inspection } from '../../history/history.ts'

/** Validates a document that must not be changed. */
export async function inspectAsIs(document: Uint8Array<ArrayBuffer>): Promise<Inspection> {
  const reading = readDocument(document)
  if (!reading.ok) return reading
  return { ok: true, document, schemaVersion: reading.document.schemaVersion }
}

/** Validates a pushed document, where a plain secret is a problem too. */
export async function inspectPushed(document: Uint8Array<ArrayBuffer>): Promise<Inspection> {
  const reading = readDocument(document)
  if (!reading.ok) return reading
  const problems = findPlainSecrets(reading.document)
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, document, schemaVersion: reading.document.schemaVersion }
}
