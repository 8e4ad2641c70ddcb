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
