import type { CalledService } from './service.ts'

/** Saves documents one after the other, each as a revision. */
export async function saveRevisions(
  service: CalledService,
  ...documents: readonly string[]
): Promise<void> {
  for (const document of documents) {
    const current = await service.fetch('/api/admin/config.xml', { method: 'HEAD' })
    const digest = current.headers.get('x-service-config-md5') ?? ''
    const saved = await service.fetch('/api/admin/config.xml', {
      method: 'PUT',
      headers: { 'if-match': `"${digest}"` },
      body: document,
    })
    if (!saved.ok) throw new Error(await saved.text())
  }
}
