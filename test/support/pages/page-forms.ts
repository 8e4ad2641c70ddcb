import type { CalledService } from '../service/service.ts'

type Called = Pick<CalledService, 'fetch'>
type Fields = readonly (readonly [name: string, value: string])[]

/** The text of a page; as admin unless another user is named, whose password is the name. */
export async function pageOf(service: Called, path: string, as?: string): Promise<string> {
  return (await service.fetch(path, as === undefined ? {} : { as: `${as}:${as}` })).text()
}

/** Sends a form as a browser does. */
export function sendForm(
  service: Called,
  path: string,
  fields: Readonly<Record<string, string>> | Fields,
  as?: string,
): Promise<Response> {
  const body = new URLSearchParams()
  const pairs: Fields = isPairs(fields) ? fields : Object.entries(fields)
  for (const [name, value] of pairs) body.append(name, value)
  const user = as === undefined ? {} : { as: `${as}:${as}` }
  return service.fetch(path, { method: 'POST', body, ...user })
}

function isPairs(fields: Readonly<Record<string, string>> | Fields): fields is Fields {
  return Array.isArray(fields)
}

/** The fields of a page that have a value in it, with what a browser reads there. */
export function filledFieldsOf(html: string): readonly (readonly [name: string, value: string])[] {
  const inputs = html.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g)
  const areas = html.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n?([^<]*)</g)
  return [...inputs, ...areas].map(([, name = '', value = '']) => [unescape(name), unescape(value)])
}

/** A text as it was before it was written into a page. */
export function unescape(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#13;', '\r')
    .replaceAll('&amp;', '&')
}
