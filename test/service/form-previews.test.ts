import { describe, expect, it } from 'vitest'
import { EntityForm } from '../support/pages/entity-forms.ts'
import { unescape } from '../support/pages/page-forms.ts'
import { shared } from '../support/programs/at-end.ts'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { openService } from '../support/service/service.ts'

const ROOT = loginOf('root')

interface Previewed {
  readonly path: string
  readonly add?: string
  readonly typed: Readonly<Record<string, string>>
  /** The change in words, a part of the XML of the entity, and what the plan says. */
  readonly words: string
  readonly xml: string
  readonly plan: RegExp
}

const FORMS: readonly Previewed[] = [
  {
    path: 'pipeline/o1',
    typed: { 'f.labeltemplate': '1.${COUNT}' },
    words: 'changed labeltemplate unset → to 1.${COUNT}',
    xml: '<pipeline name="o1" labeltemplate="1.${COUNT}">',
    plan: /Starts runs None/,
  },
  {
    path: 'pipeline/o1',
    typed: { 'f.materials.0.url': 'https://example.org/other.git' },
    words: 'url https://example.org/o1.git → to https://example.org/other.git',
    xml: '<git url="https://example.org/other.git" dest="git" />',
    plan: /Starts runs o1/,
  },
  {
    path: 'group/shown',
    add: 'add:authorization.view:user',
    typed: { 'f.authorization.view.1.text': 'viewer' },
    words: 'added view permission of user viewer',
    xml: '<user>viewer</user>',
    plan: /viewer gains: view 2 pipelines: s1, s2\./,
  },
  {
    path: 'template/tpl',
    typed: { 'f.stage.0.jobs.0.timeout': '7' },
    words: 'timeout',
    xml: '<job name="unit" timeout="7">',
    plan: /Starts runs None/,
  },
  {
    path: 'environment/live',
    add: 'add:pipelines',
    typed: { 'f.pipelines.1.name': 's1' },
    words: 'added pipeline s1',
    xml: '<pipeline name="s1" />',
    plan: /Pipelines .*s1/,
  },
  {
    path: 'role/devs',
    add: 'add:users',
    typed: { 'f.users.1.text': 'viewer' },
    words: 'added user viewer',
    xml: '<user>viewer</user>',
    plan: /Starts runs None/,
  },
]

/** The words of a page as they are read. */
function wordsOf(html: string): string {
  return unescape(html.replaceAll(/<script[^]*?<\/script>/g, '').replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[:,.])/g, '')
}

describe('the preview of a form', () => {
  const service = shared(async () => delegate(await openService()))

  it.each(FORMS)('has words, XML and plan of $path, and nothing is saved', async (form) => {
    const opened = await EntityForm.open(service(), `/config/edit/${form.path}`, ROOT)
    const filled = form.add === undefined ? opened : await opened.press(form.add)
    const preview = await filled.type(form.typed).press('preview')

    expect(preview.status).toBe(200)
    const words = wordsOf(preview.html)
    expect(words).toContain(form.words)
    expect(words.replaceAll(' ', '')).toContain(form.xml.replaceAll(' ', ''))
    expect(words).toMatch(form.plan)
    expect(opened.html).toContain(`href="/config/edit?entity=${encodeURIComponent(form.path)}"`)
    expect(preview.html).toMatch(/value="save"/)
    expect(preview.html).toMatch(/value="propose"/)
    const now = await service().fetch('/api/admin/config.xml', { as: ROOT })
    expect(await now.text()).toBe(DELEGATED)
  })
})
