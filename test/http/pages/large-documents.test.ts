// @module-tag long

import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { currentOf, md5, serviceAt, submit, textIn } from '../../support/pages/editor-forms.ts'
import { save } from '../../support/service/saving.ts'

/** Large enough for everything that reads it whole to go to another thread. */
const NAMES = Array.from({ length: 1_000 }, (_, n) => `pipeline-${n}`)
const LARGE = documentWith(...NAMES)

function changed(document: string, name: string, to: string): string {
  return document.replace(`org/${name}.git`, `org/${to}.git`)
}

describe('pages of a large document', () => {
  it('say what is wrong with a draft, and how much of it is new', async () => {
    const service = await serviceAt(LARGE)
    const check = async (xml: string) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ xml, basedOn: md5(LARGE), entity: '' })) {
        form.set(name, value)
      }
      return (await service.fetch('/config/edit/check', { method: 'POST', body: form })).json()
    }
    const broken = LARGE.replace('<job name="unit">', '<job nmae="unit">')

    expect(await check(changed(LARGE, 'pipeline-7', 'other'))).toEqual({ problems: [], changes: 1 })
    expect(await check(broken)).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ line: 10, typedLine: 10 })]),
    })
  })

  it('open one pipeline of it, and save it among what others have saved', async () => {
    const service = await serviceAt(LARGE)
    const entity = 'pipeline/pipeline-500'
    const html = await (await service.fetch(`/config/edit?entity=${entity}`)).text()
    const part = textIn(html)
    await save(service, changed(LARGE, 'pipeline-3', 'theirs'))

    const xml = part.replace('org/pipeline-500.git', 'org/mine.git')
    const fields = { xml, entity, basedOn: md5(LARGE), action: 'save' }
    expect((await submit(service, fields)).status).toBe(303)

    const both = changed(changed(LARGE, 'pipeline-3', 'theirs'), 'pipeline-500', 'mine')
    expect(await currentOf(service)).toBe(both)
  })

  it('show both sides of a conflict', async () => {
    const service = await serviceAt(LARGE)
    await save(service, changed(LARGE, 'pipeline-3', 'theirs'))

    const xml = changed(LARGE, 'pipeline-3', 'mine')
    const answer = await submit(service, { xml, basedOn: md5(LARGE), action: 'save' })

    expect(answer.status).toBe(409)
    const html = await answer.text()
    expect(html).toContain('theirs.git')
    expect(html).toContain('mine.git')
  })

  it('find a text in it', async () => {
    const service = await serviceAt(LARGE)

    const html = await (await service.fetch('/config/r2?line=1&find=pipeline-999.git')).text()

    expect(html).toMatch(/\b1 line\b/)
  })

  it('restore one pipeline of it, and undo one change', async () => {
    const service = await serviceAt(LARGE)
    const second = changed(LARGE, 'pipeline-3', 'three')
    await save(service, second)
    const third = changed(second, 'pipeline-500', 'fifteen')
    await save(service, third)
    const send = (path: string, current: string) => {
      const body = new URLSearchParams({ reason: 'tested', basedOn: md5(current) })
      return service.fetch(path, { method: 'POST', body })
    }

    const preview = await service.fetch('/config/r3/undo')
    expect([preview.status, await preview.text()]).toEqual([
      200,
      expect.stringContaining('three.git'),
    ])
    expect((await send('/config/r3/undo', third)).status).toBe(303)
    const undone = changed(LARGE, 'pipeline-500', 'fifteen')
    expect(await currentOf(service)).toBe(undone)
    const place = '/config/entity/pipeline/pipeline-500/restore/r2'
    expect((await send(place, undone)).status).toBe(303)
    expect(await currentOf(service)).toBe(LARGE)
  })
})
