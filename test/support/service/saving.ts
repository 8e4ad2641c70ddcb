import type { CalledService } from './service.ts'

/** Saves a document over whatever is current. */
export function save(
  service: Pick<CalledService, 'fetch'>,
  document: string,
  as?: string,
): Promise<Response> {
  const init = { method: 'PUT', headers: { 'if-match': '*' }, body: document }
  return service.fetch('/api/admin/config.xml', as === undefined ? init : { ...init, as })
}

/** Posts the original's form. */
export function postForm(
  service: Pick<CalledService, 'fetch'>,
  fields: Readonly<Record<string, string>>,
  path = '/api/admin/config.xml',
): Promise<Response> {
  return service.fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
}
