import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { TestService } from '../service/service.ts'

/** Begins a request whose body is still to come. */
export function begin(
  { url }: Pick<TestService, 'url'>,
  path: string,
  options: { readonly method: string; readonly headers: Readonly<Record<string, string>> },
): { readonly outgoing: ClientRequest; readonly answered: Promise<IncomingMessage> } {
  const outgoing = request(`${url}${path}`, options)
  const answered = once(outgoing, 'response').then(([answer]: IncomingMessage[]) => {
    if (answer === undefined) throw new Error('no answer')
    return answer
  })
  // A connection that is cut is one of the ends that tests look for.
  outgoing.on('error', () => undefined)
  answered.catch(() => undefined)
  outgoing.flushHeaders()
  return { outgoing, answered }
}
