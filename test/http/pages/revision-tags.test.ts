import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { git } from '../../support/git/git.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { openService, type CalledService } from '../../support/service/service.ts'

const SHOWN = [
  '/config',
  '/config/r2',
  '/config/compare/r1/r2',
  '/config/compare/r2/r3',
  '/config/compare/r1/r3',
]

async function withRevisions(): Promise<CalledService> {
  const service = await openService()
  await saveRevisions(service, documentWith('shop'), documentWith('shop', 'cart'))
  return service
}

describe('the tags of a revision', () => {
  it('stand beside it wherever it is shown, also those that git makes meanwhile', async () => {
    const service = await withRevisions()
    for (const path of SHOWN) expect(await pageOf(service, path)).not.toContain('stable-7')

    git(service.repository, 'tag', 'stable-7', 'HEAD~1')

    for (const path of SHOWN) expect([path, await pageOf(service, path)]).toEqual([path, tagged])
  })

  it('are made on its page, and lead to it by name', async () => {
    const service = await withRevisions()

    const made = await sendForm(service, '/config/r2/tags', { name: ' release/1 ' })
    const shown = await pageOf(service, made.headers.get('location') ?? '')
    const named = await pageOf(service, '/config/release%2F1')

    expect(made.status).toBe(303)
    expect(shown).toContain('Added tag release/1.')
    expect(shown).toContain('aria-label="Remove tag release/1"')
    expect(named).toContain('<title>Configuration r2')
    expect(git(service.repository, 'tag', '--points-at', 'HEAD~1').trim()).toBe('release/1')
  })

  it('are removed there, and on a comparison, which is shown again', async () => {
    const service = await withRevisions()
    git(service.repository, 'tag', 'v1.0', 'HEAD~1')

    const fields = { name: 'v1.0', from: 'r1' }
    const removed = await sendForm(service, '/config/r2/tags/remove', fields)
    const shown = await pageOf(service, removed.headers.get('location') ?? '')

    expect(removed.headers.get('location')).toMatch(/^\/config\/compare\/r1\/r2\?flash=/)
    expect(shown).toContain('Removed tag v1.0.')
    expect(git(service.repository, 'tag')).toBe('')
  })

  it.each([
    ['', 400, 'is empty'],
    ['a b', 400, 'is not one that git takes for a tag'],
    ['r7', 400, 'names a revision already'],
    ['v1.0', 409, 'There is a tag v1.0 already'],
  ])('say at their field why a name is refused: "%s"', async (name, status, reason) => {
    const service = await withRevisions()
    git(service.repository, 'tag', 'v1.0')

    const answer = await sendForm(service, '/config/r2/tags', { name })
    const html = await answer.text()

    expect(answer.status).toBe(status)
    expect(html).toMatch(/<details open[^>]*><summary>Tag r2/)
    expect(html).toMatch(new RegExp(`name="name" value="${name}"[^>]*aria-invalid="true"`))
    expect(html).toMatch(new RegExp(`id="tag-refused"[^>]*>[^<]*${reason}`))
  })

  it('are left out of a page that browsers keep for ever', async () => {
    const service = await withRevisions()
    git(service.repository, 'tag', 'v1.0', 'HEAD~1')
    const commits = git(service.repository, 'rev-list', '--reverse', 'HEAD').trim().split('\n')

    const answer = await service.fetch(`/config/compare/${commits[0]}/${commits[1]}`)

    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect(await answer.text()).not.toContain('>v1.0<')
  })
})

const tagged: unknown = expect.stringContaining('stable-7')
