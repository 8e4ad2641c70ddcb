import { expect } from 'vitest'
import { documentWith } from '../documents/documents.ts'
import { save } from './saving.ts'
import type { CalledService } from './service.ts'

export const DIGEST = 'x-service-config-md5'

type Called = Pick<CalledService, 'fetch'>

export async function statusOf(service: Called, path: string): Promise<number> {
  return (await service.fetch(path)).status
}

/** Saves a document that has to be taken, and gives its digest. */
export async function saved(service: Called, name: string): Promise<string> {
  const response = await save(service, documentWith(name))
  expect([name, response.status]).toEqual([name, 200])
  return response.headers.get(DIGEST) ?? ''
}
