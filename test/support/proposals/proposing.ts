import type { ProposalBody } from '../../../src/wire/proposal-body.ts'
import { loginOf } from '../service/secured-service.ts'
import { securedDocument, type Role } from '../service/secured-document.ts'
import type { CalledService } from '../service/service.ts'

/** The pipeline of the secured document with another label. */
export function labelled(label: string, document = securedDocument()): string {
  const start = document.indexOf('<pipeline name="hello"')
  const end = document.indexOf('</pipeline>', start) + '</pipeline>'.length
  return document
    .slice(start, end)
    .replace('<pipeline name="hello"', `<pipeline name="hello" labeltemplate="${label}-\${COUNT}"`)
}

/** The secured document with a role of these users. */
export function documentWithHelpers(...users: readonly string[]): string {
  const members = users.map((user) => `<user>${user}</user>`).join('')
  const role = `<roles><role name="helpers"><users>${members}</users></role></roles>`
  return securedDocument().replace('<admins><user>root', `${role}<admins><user>root`)
}

/** The group of the document, as an entity whose pipelines the role may view. */
export function viewedByHelpers() {
  const [group = ''] = /<pipelines [^]*<\/pipelines>/.exec(securedDocument()) ?? []
  const xml = group.replace('<view>', '<view><role>helpers</role>')
  return { kind: 'group', name: 'first', xml }
}

export interface Answered {
  readonly status: number
  readonly body: ProposalBody & { readonly needs?: readonly { readonly of: readonly string[] }[] }
}

/** Sends a call about proposals as a user of a role, or with other credentials. */
export async function ask(
  service: Pick<CalledService, 'fetch'>,
  role: Role,
  path: string,
  body?: object,
): Promise<Answered> {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const init = { method, headers, as: loginOf(role), ...sent }
  const answer = await service.fetch(`/api/proposals${path}`, init)
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

/** Proposes the pipeline with another label. */
export async function proposeLabel(
  service: Pick<CalledService, 'fetch'>,
  role: Role,
  label: string,
): Promise<number> {
  const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled(label) }]
  const { status, body } = await ask(service, role, '', { title: `Label ${label}`, entities })
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.number
}
