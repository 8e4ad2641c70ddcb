import { CALLERS } from '../../api/definition/operation.ts'
import type { DescribedCall } from '../../api/description/described-call.ts'

interface CurlPlace {
  /** The address of the service with its base path. */
  readonly origin: string
  readonly username: string
}

/**
 * The example of a call as a line for a shell; null where there is none. curl asks for the
 * password, and the token of an agent is a variable.
 */
export function curlLine(
  { method, operation, example }: DescribedCall,
  { origin, username }: CurlPlace,
): string | null {
  if (example === null) return null
  const { scheme } = CALLERS[operation.caller]
  const { target, headers, body } = example
  const isUsual = method === (body === null ? 'GET' : 'POST')
  return [
    'curl',
    ...(scheme === 'user' || scheme === 'both' ? ['-u', quoted(username)] : []),
    ...(scheme === 'agent' ? ['-H', '"Authorization: Bearer $TOKEN"'] : []),
    ...(isUsual ? [] : ['-X', method]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...(body === null ? [] : ['--data-binary', quoted(body.text)]),
    quoted(`${origin}${target}`),
  ].join(' ')
}

/** As one word of a shell, whatever it contains. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
