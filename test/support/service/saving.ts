import type { TestService } from './service.ts'

/** Saves a document over whatever is current. */
export function save(
  service: Pick<TestService, 'fetch'>,
  document: string,
  as?: string,
): Promise<Response> {
  const init = { method: 'PUT', headers: { 'if-match': '*' }, body: document }
  return service.fetch('/api/admin/config.xml', as === undefined ? init : { ...init, as })
}

/** Posts the original's form. */
export function postForm(
  service: Pick<TestService, 'fetch'>,
  fields: Readonly<Record<string, string>>,
  path = '/api/admin/config.xml',
): Promise<Response> {
  return service.fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
}
