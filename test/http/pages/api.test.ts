// @module-tag curl

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { pageOf } from '../../support/pages/page-forms.ts'
import { ADMIN_PASSWORD, startService } from '../../support/service/service.ts'

const run = promisify(execFile)

/** The lines to try, as a browser shows them. */
function linesIn(page: string): string[] {
  return Array.from(page.matchAll(/<pre><code>(curl [^<]*)<\/code>/g), ([, line = '']) =>
    line.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  )
}

/** Runs a line as a shell does, with the password that curl would ask for. */
async function answerTo(line: string): Promise<string> {
  const command = line.replace('-u admin ', `-fsS -u 'admin:${ADMIN_PASSWORD}' `)
  return (await run('sh', ['-c', command])).stdout
}

describe('the page of the interface', () => {
  it(
    'has lines to try that work as they are, at the address of the service',
    { tags: ['long'] },
    async () => {
      const service = await startService(['--base-path', '/go'])

      const lines = linesIn(await pageOf(service, '/api'))
      const [agents = ''] = lines.filter((line) => line.endsWith(`${service.url}/api/agents`))
      const [creation = ''] = lines.filter((line) => line.includes('/tab/admin/pipelines/'))

      expect(lines.length).toBeGreaterThan(40)
      expect(JSON.parse(await answerTo(agents))).toEqual([])
      expect(await answerTo(creation)).toContain('"isValid":"true"')
      expect(await pageOf(service, '/pipelines')).toContain('class="row-link"')
    },
  )

  it('shows the shapes of bodies, examples of answers, and code as code', async () => {
    const service = await startService()

    const page = await pageOf(service, '/api')

    expect(page).not.toContain('`')
    expect(page).toContain('resources?: string | [string]')
    expect(page).toMatch(/Example of the answer 200<\/b><pre><code>\{\n {2}&quot;message&quot;/)
    expect(page).toContain('<h1>API</h1>')
  })
})
