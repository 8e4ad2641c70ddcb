import { saveRevisions } from '../service/saved-revisions.ts'
import { startService, type TestService } from '../service/service.ts'

/** A service with these documents as its newest revisions. */
export async function withRevisions(...documents: readonly string[]): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, ...documents)
  return service
}

export async function page(service: TestService, path: string): Promise<string> {
  const response = await service.fetch(path)
  return response.text()
}
