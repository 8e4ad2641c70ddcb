import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { fastImport } from '../support/git/fast-import.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const REVISIONS = 1_500
const NAMES = Array.from({ length: 150 }, (_, n) => `p${n}`)

/** A service that is opened on a long history that is not indexed yet. */
async function withLongHistory(): Promise<CalledService> {
  const service = await openService()
  await save(service, documentWith('gone', ...NAMES))
  await service.close()
  rmSync(join(service.folder, 'state', 'history-index.sqlite'))
  const whole = documentWith(...NAMES)
  const documents = Array.from({ length: REVISIONS }, (_, n) =>
    whole.replace('/p1.git', `/p1-${n}.git`),
  )
  await fastImport(service.repository, documents)
  return openService([], service.folder)
}

describe('a long history that is indexed for the first time', { tags: ['long'] }, () => {
  it('is shown as far as it is known, with the progress, by pages that refresh themselves', async () => {
    const service = await withLongHistory()

    // All at once, since the history is being indexed meanwhile.
    const [pages, lists, oldest, gone] = await Promise.all([
      Promise.all(
        ['/config/entity/pipeline/p1', '/config?entity=pipeline/p1', '/config?q=p1'].map((path) =>
          service.fetch(path),
        ),
      ),
      Promise.all(
        ['entity=pipeline/p1', 'text=p1', 'q=p1'].map((query) =>
          service.fetch(`/api/config/revisions?limit=10&${query}`),
        ),
      ),
      service.fetch('/config?offset=1450'),
      service.fetch('/config/entity/pipeline/gone'),
    ])

    for (const page of pages) {
      expect(page.status).toBe(200)
      expect(page.headers.get('refresh')).toMatch(/^\d+$/)
      expect(await page.text()).toMatch(/Indexing history: [\d,]+ of 1,50\d/)
    }
    const lines = [...(await oldest.text()).matchAll(/<td class="lines[^>]*>(.*?)<\/td>/gs)]
    expect(lines.length).toBeGreaterThan(0)
    for (const [, cell] of lines) expect(cell).toMatch(/title="Not counted yet"[^]*not counted yet/)
    for (const list of lists) {
      expect(list.status).toBe(200)
      expect(list.headers.get('x-cairn-indexed')).toMatch(/^\d+\/150\d$/)
    }
    expect(gone.status).toBe(200)
    expect(gone.headers.get('refresh')).toMatch(/^\d+$/)
    expect(await gone.text()).toContain('Indexing history: ')
  })
})
