import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { gitApply, gitDiff } from '../support/git/git-diff.ts'
import { saveRevisions } from '../support/service/saved-revisions.ts'
import { save } from '../support/service/saving.ts'
import { openService } from '../support/service/service.ts'

const BARE = documentWith('alpha', 'beta').trimEnd()
const AGENT = '11111111-1111-4111-8111-111111111111'
const CURRENT = '/api/admin/config.xml'

describe('a document whose last line ends with a carriage return alone', () => {
  it.each([
    ['</cruise>', `${BARE}\r`],
    ['an empty line', `${BARE}\n\r`],
    ['a comment', `${BARE}\n<!-- the end -->\r`],
    ['every line', `${BARE}\r`.replaceAll('\n', '\r')],
  ])('is kept and compared as git does: %s', async (_, document) => {
    const service = await openService()
    const documents = [BARE, document, `${BARE}\n`, document.replace('beta', 'gamma'), document]

    await saveRevisions(service, ...documents)

    const log = git(service.repository, 'log', '--format=%H', '-n5', '--reverse')
    const commits = log.trim().split('\n')
    for (const [n, commit] of commits.entries()) {
      expect(git(service.repository, 'show', `${commit}:config.xml`)).toBe(documents[n])
    }
    for (const [n, from] of commits.slice(0, -1).entries()) {
      const [before, after] = documents.slice(n, n + 2).map((text) => Buffer.from(text))
      if (!before || !after) throw new Error('there are fewer documents than commits')
      const answer = await service.fetch(`/api/config/diff/${from}/${commits[n + 1]}`)
      const hunks = Buffer.from(await answer.arrayBuffer())
      expect(hunks.toString('latin1')).toBe(gitDiff(before, after))
      expect(gitApply(before, hunks)).toEqual(after)
    }
  })

  it('keeps it when an agent is enabled, and in a merge', async () => {
    const agent = `<agent uuid="${AGENT}" hostname="h" ipaddress="192.0.2.7" isDisabled="true" />`
    const root = BARE.replace('</cruise>', `  <agents>\n    ${agent}\n  </agents>\n</cruise>`)
    const document = `${root}\r`
    const service = await openService()
    const saved = await save(service, document)

    await service.fetch(`/api/agents/${AGENT}/enable`, { method: 'POST' })
    const merged = await service.fetch(CURRENT, {
      method: 'PUT',
      headers: { 'if-match': saved.headers.get('etag') ?? '' },
      body: document.replace('alpha.git', 'other.git'),
    })

    expect(merged.status).toBe(200)
    expect(await (await service.fetch(CURRENT)).text()).toBe(
      document.replace(' isDisabled="true"', '').replace('alpha.git', 'other.git'),
    )
  })
})
