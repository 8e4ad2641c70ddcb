import { expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { saveRevisions } from '../support/service/saved-revisions.ts'
import { openService } from '../support/service/service.ts'

it('the page of the problems lists the first two hundred of a kind, and says where all are', async () => {
  const service = await openService(['--material-interval', '1s'])
  const names = Array.from({ length: 205 }, (_, n) => `p${n}`)
  await saveRevisions(
    service,
    documentWith(...names).replaceAll(/https:[^"]*\/(p\d+)\.git/g, '/nowhere/$1'),
  )
  const problems = async () => (await service.fetch('/problems')).text()

  await expect.poll(problems).toContain('205 open problems')
  const page = await problems()
  expect(page.match(/<li>/g)).toHaveLength(200)
  expect(page).toContain('and 5 more: <a href="/health">')
})
