import { describe, expect, it } from 'vitest'
import { pageOf } from '../../support/pages/page-forms.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { openService, type CalledService } from '../../support/service/service.ts'

const DEPLOY = `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <pipelines group="first">
    <pipeline name="deploy" template="rollout">
      <params>
        <param name="target">production</param>
      </params>
      <materials>
        <git url="https://example.org/deploy.git" />
      </materials>
    </pipeline>
  </pipelines>
  <templates>
    <pipeline name="rollout">
      <stage name="deploy">
        <jobs>
          <job name="all" timeout="20">
            <tasks>
              <exec command="deploy-to-#{target}" />
            </tasks>
          </job>
        </jobs>
      </stage>
    </pipeline>
  </templates>
</cruise>
`

async function withTemplate(): Promise<CalledService> {
  const service = await openService()
  await saveRevisions(service, DEPLOY, DEPLOY.replace('timeout="20"', 'timeout="30"'))
  return service
}

describe('a pipeline as it runs', () => {
  it('is shown with its template and params filled in, and where each value comes from', async () => {
    const service = await withTemplate()

    const written = await pageOf(service, '/config/entity/pipeline/deploy')
    const shown = await pageOf(service, '/config/entity/pipeline/deploy?show=effective')

    expect(written).toContain('href="/config/entity/pipeline/deploy?show=effective#xml"')
    expect(written).not.toContain('deploy-to-production')
    const [row = ''] = /<tr>(?:(?!<tr>).)*deploy-to-production.*?<\/tr>/s.exec(shown) ?? []
    expect(row).toContain('title="deploy-to-#{target}"')
    expect(row).toContain('href="/config/r3?line=19#L19">template rollout</a>')
    expect(row).toContain('href="/config/r3?line=6#L6">param target</a>')
  })

  it('shows a change of its template among its own, and how it runs since', async () => {
    const service = await withTemplate()

    const history = await pageOf(service, '/config/entity/pipeline/deploy')
    const address = '/config/entity/pipeline/deploy/compare/r2/r3'
    const asWritten = await pageOf(service, address)
    const asItRuns = await pageOf(service, `${address}?effective=1`)

    expect(history).toMatch(/template rollout<.*<del>20<\/del>.*<ins>30<\/ins>/s)
    expect(history.indexOf('id="r3"')).toBeLessThan(history.indexOf('id="r2"'))
    expect(history).toContain(`href="${address}?effective=1"`)
    expect(asWritten).not.toContain('id="diff"')
    expect(asItRuns).toMatch(/timeout.*<del>.*20.*<ins>.*30/s)
  })
})
