import type { TfsMaterial } from '../document/model/materials.ts'
import {
  type MaterialSource,
  MOST_CHANGES,
  revisionNumber,
  SourceFailed,
  type RevisionSpan,
} from './modification.ts'
import { addressOf } from './source-address.ts'
import { secretsOf, type SourcePlace } from './source-place.ts'
import { parseHistory } from './tfs-history.ts'

/** The client accepts a password only on its command line. */
export function tfsSource(material: TfsMaterial, place: SourcePlace): MaterialSource {
  const { url } = addressOf('tfs', material.url)
  const { domain, projectPath, username } = material
  const { password } = place
  const user = domain === null || domain === '' ? username : `${domain}\\${username}`
  const server = [`-collection:${url}`, `-login:${user},${password ?? ''}`, '-noprompt']
  if (!projectPath.startsWith('$/')) throw new SourceFailed('tf: a project path begins with $/')

  function history(...options: readonly string[]) {
    const args = ['history', projectPath, '-recursive', '-format:detailed', ...options, ...server]
    const secrets = secretsOf({ username, password }, false)
    return place.tools.run({ command: 'tf', args, cwd: place.folder, secrets })
  }

  async function newest(): Promise<string> {
    const [first] = parseHistory(await history('-stopafter:1'))
    if (first) return first.revision
    throw new SourceFailed('tf: there is no changeset')
  }

  async function changes({ after, upTo }: RevisionSpan) {
    const last = Number(upTo)
    const first = after === null ? last : Number(after) + 1
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first > last) return null
    const span = [`-version:C${first}~C${last}`, `-stopafter:${MOST_CHANGES + 1}`]
    const found = parseHistory(await history(...span))
    return found.length > MOST_CHANGES ? null : found
  }

  async function find(revision: string) {
    const upTo = revisionNumber(revision)
    const found = upTo === null ? null : await changes({ after: null, upTo })
    return found?.find((change) => change.revision === upTo)?.revision ?? null
  }

  return { newest, changes, find }
}
