import { readFile } from 'node:fs/promises'
import { unavailable } from '../core/errors.ts'
import { describeFault } from '../core/faults.ts'

/**
 * A file that the settings name.
 *
 * @throws {ServiceError} `unavailable`
 */
async function readNamedFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw unavailable(`The file ${file} cannot be read: ${describeFault(cause)}`, cause)
  })
}

/**
 * The one line of a file that holds a secret.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function readSecretFile(file: string): Promise<string> {
  const secret = (await readNamedFile(file)).trim()
  if (secret === '') throw unavailable(`The file ${file} is empty`)
  return secret
}

/**
 * The certificates of a file, or null where the settings name none.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function readCertificates(file: string | null): Promise<string | null> {
  if (file === null) return null
  const text = await readNamedFile(file)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw unavailable(`The file ${file} has no certificate`)
}
