import { createHash } from 'node:crypto'
import { documentWith } from '../documents/documents.ts'
import { save } from '../service/saving.ts'
import { startService, type TestService } from '../service/service.ts'
import { unescape } from './page-forms.ts'

export const BASE = documentWith('alpha', 'beta', 'gamma')

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

export async function serviceAt(
  document = BASE,
  flags: readonly string[] = [],
): Promise<TestService> {
  const service = await startService(flags)
  await save(service, document)
  return service
}

type Fields = Readonly<Record<string, string>>

/** Sends the editor's form as a browser does: every line ends with CR LF. */
export function submit(service: TestService, fields: Fields): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ basedOn: md5(BASE), entity: '', ...fields })) {
    form.set(name, name === 'xml' ? value.replace(/\r\n|\r|\n/g, '\r\n') : value)
  }
  return service.fetch('/config/edit', { method: 'POST', body: form })
}

export async function currentOf(service: TestService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

/** The text that a page's form holds. */
export function textIn(html: string): string {
  const [, text = ''] = /<textarea[^>]*name="xml"[^>]*>\n?([^]*?)<\/textarea>/.exec(html) ?? []
  return unescape(text)
}
