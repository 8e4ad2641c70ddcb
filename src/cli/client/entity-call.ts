import type { ServiceClient } from '../../client/service-client.ts'
import { entityIn } from './words.ts'

/** The digest of a revision, by any of its names. */
export async function fetchDigest(client: ServiceClient, revision: string): Promise<string> {
  if (/^[0-9a-f]{32}$/.test(revision)) return revision
  const { body } = await client.call('GET /api/config/changes/:revision', { params: { revision } })
  return body.revision.md5
}

/** The XML of an entity in a revision, and its digest. */
export async function fetchEntity(
  client: ServiceClient,
  entity: string,
  at: string,
): Promise<{ text: string; digest: string }> {
  const { kind, name } = entityIn(entity)
  const query = { at }
  const { body, headers } =
    name === ''
      ? await client.call('GET /api/config/entities/server', { query })
      : await client.call('GET /api/config/entities/:kind/:name', { params: { kind, name }, query })
  // A proxy that compresses may have made the tag a weak one.
  return { text: body, digest: (headers.get('etag') ?? '').replace(/^W\//, '').replaceAll('"', '') }
}
