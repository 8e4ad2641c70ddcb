import { describe, expect, it } from 'vitest'
import { save } from '../../support/service/saving.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import {
  BASE,
  md5,
  serviceAt,
  submit,
  currentOf,
  textIn,
} from '../../support/pages/editor-forms.ts'

describe('the editor of one entity', () => {
  it('shows and saves its XML alone', async () => {
    const service = await serviceAt()
    const html = await (await service.fetch('/config/edit?entity=pipeline/beta')).text()
    const text = textIn(html)

    await submit(service, {
      xml: text.replace('beta.git', 'other.git'),
      entity: 'pipeline/beta',
      action: 'save',
    })

    expect(text.trimStart()).toMatch(/^<pipeline name="beta">[^]*<\/pipeline>$/)
    expect(text).not.toContain('alpha')
    expect(await currentOf(service)).toBe(BASE.replace('beta.git', 'other.git'))
  })

  it('offers what can be chosen in a form in words for people', async () => {
    const service = await serviceAt()

    const html = await (await service.fetch('/config/edit/pipeline/beta')).text()
    const choices = Array.from(html.matchAll(/<option[^>]*>([^<]*)/g), ([, label = '']) => label)

    expect(choices).toEqual(expect.arrayContaining(['Yes', 'No', 'Upstream pipeline', 'Command']))
    expect(choices).not.toContain('true')
  })

  it('counts lines as the whole document does', async () => {
    const service = await serviceAt()
    const text = textIn(await (await service.fetch('/config/edit?entity=pipeline/beta')).text())

    const body = new URLSearchParams({
      xml: text.replace('<job name', '<job nmae'),
      basedOn: md5(BASE),
      entity: 'pipeline/beta',
    })
    const response = await service.fetch('/config/edit/check', { method: 'POST', body })

    const line = BASE.split('\n').findIndex((each) => each.includes('name="beta"')) + 1
    expect(await response.json()).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ line: line + 6, typedLine: 7 })]),
    })
  })

  it('says to the administrator of a group what was saved, and what was restored', async () => {
    const admins = '<authorization><admins><user>someone</user></admins></authorization>'
    const secured = BASE.replace('  <pipelines', `  ${ADMIN_ALONE}\n  <pipelines`)
    const base = secured.replace(/(<pipelines [^>]*>)/, `$1${admins}`)
    const service = await serviceAt(base)
    await addSomeone(service)
    const at = async (path: string) => (await service.fetch(path, { as: SOMEONE })).text()
    const send = async (path: string, fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams(fields)
      const sent = await service.fetch(path, { method: 'POST', body, as: SOMEONE })
      return at(sent.headers.get('location') ?? '')
    }
    const xml = textIn(await at('/config/edit?entity=pipeline/beta'))

    const saved = await send('/config/edit', {
      basedOn: md5(base),
      entity: 'pipeline/beta',
      action: 'save',
      xml: xml.replace('beta.git', 'other.git'),
    })
    const restored = await send('/config/entity/pipeline/beta/restore/r2', {
      basedOn: md5(base.replace('beta.git', 'other.git')),
      reason: 'it was better',
    })

    expect(saved).toContain('Saved as r3.')
    expect(restored).toContain('Saved as r4.')
  })

  it('is not found when there is none, and not understood when the name is none', async () => {
    const service = await serviceAt()

    expect((await service.fetch('/config/edit?entity=pipeline/none')).status).toBe(404)
    expect((await service.fetch('/config/edit?entity=beta')).status).toBe(400)
  })

  it('begins with what it was in an older revision when that is to be put back', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('beta.git', 'other.git'))

    const html = await (await service.fetch('/config/edit?entity=pipeline/beta&from=r2')).text()

    expect(textIn(html)).toContain('beta.git')
    expect(html).toContain('the text of r2')
  })
})
